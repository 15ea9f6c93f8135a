"""Sizes that are so many times the caller's own timeout."""

from math import inf, nan

import pytest

from faults.link.link_latency import LinkLatency
from faults.magnitude import OfTimeout, check, seconds


@pytest.mark.parametrize("ratio", [0.5, 0.95, 1.05, 3])
def test_a_share_of_the_timeout_becomes_seconds_once_the_timeout_is_known(ratio: float) -> None:
    fault = LinkLatency(latency_s=OfTimeout(ratio))
    sized = fault.sized(timeout_s=4.0)
    assert sized.latency_s == 4 * ratio
    assert sized.effect().asked == 4 * ratio
    assert type(sized.latency_s) is float


def test_without_a_timeout_it_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"needs a policy with a timeout.* give seconds"):
        LinkLatency(latency_s=OfTimeout(0.95)).sized(inf)


def test_a_plain_number_needs_no_timeout() -> None:
    fault = LinkLatency(latency_s=2)
    assert fault.sized(inf) is fault


@pytest.mark.parametrize("ratio", [0, -1, inf, nan])
def test_a_share_that_is_none_is_refused(ratio: float) -> None:
    with pytest.raises(ValueError, match="expected a share of the timeout above 0"):
        OfTimeout(ratio)


def test_shares_are_equal_by_their_ratio_and_written_as_they_are_given() -> None:
    assert OfTimeout(0.5) == OfTimeout(0.5) != OfTimeout(3)
    assert f"{OfTimeout(0.95):g}" == "0.95timeout"


@pytest.mark.parametrize("value", [nan, inf, -1, 5])
def test_a_number_out_of_range_is_refused_with_the_range(value: float) -> None:
    with pytest.raises(ValueError, match="x must be 0 or more"):
        check("x", value, 0, 4)


def test_a_share_is_checked_again_once_it_is_a_number() -> None:
    check("x", OfTimeout(9), 0, 4)
    with pytest.raises(ValueError, match="must be"):
        check("x", seconds(OfTimeout(9), 1.0), 0, 4)
