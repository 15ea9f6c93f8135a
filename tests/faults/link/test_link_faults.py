"""Faults of the link as data: ranges, toxics in Toxiproxy's units, and what a shape makes of them."""

import random

import pytest

from faults.fault import Fault, LinkFault
from faults.link import FAULTS
from faults.link.link_bandwidth import LinkBandwidth
from faults.link.link_black_hole import LinkBlackHole
from faults.link.link_first_byte import LinkFirstByte
from faults.link.link_gap import LinkGap
from faults.link.link_jitter import LinkJitter
from faults.link.link_latency import LinkLatency
from faults.link.link_limit import LinkLimit
from faults.link.link_reset import LinkReset
from faults.link.link_slicer import LinkSlicer
from faults.link.link_slow_accept import LinkSlowAccept
from faults.link.link_slow_close import LinkSlowClose
from faults.link.link_stall import LinkStall
from faults.magnitude import OfTimeout
from faults.toxiproxy.toxics import TOXICS

TOXICS_OF: dict[LinkFault, tuple[str, dict[str, int]]] = {
    LinkLatency(latency_s=1.5): ("latency", {"latency": 1500, "jitter": 0}),
    LinkJitter(jitter_s=0.25): ("latency", {"latency": 250, "jitter": 250}),
    LinkBandwidth(rate_kb_per_s=20): ("bandwidth", {"rate": 20}),
    LinkSlicer(slice_bytes=100, gap_s=0.05): (
        "slicer",
        {"average_size": 100, "size_variation": 0, "delay": 50_000},
    ),
    LinkGap(gap_s=1): ("slicer", {"average_size": 2**20, "size_variation": 0, "delay": 1_000_000}),
    LinkFirstByte(delay_s=2): ("first_byte", {"delay": 2000}),
    LinkSlowClose(delay_s=2): ("slow_close", {"delay": 2000}),
    LinkStall(after_s=0.0001): ("timeout", {"timeout": 1}),  # 0 would never close
    LinkBlackHole(): ("timeout", {"timeout": 0}),
    LinkReset(after_s=0.5): ("reset_peer", {"timeout": 500}),
    LinkLimit(bytes=99): ("limit_data", {"bytes": 99}),
}


@pytest.mark.parametrize("fault", TOXICS_OF, ids=lambda fault: fault.kind)
def test_a_fault_is_one_toxic_on_the_way_to_the_caller(fault: LinkFault) -> None:
    (toxic,) = fault.toxics()
    assert (toxic.type, toxic.attributes) == TOXICS_OF[fault]
    assert (toxic.direction, toxic.toxicity) == ("to_caller", 1.0)


def test_a_connection_that_is_taken_late_hears_nothing_on_the_way_there() -> None:
    (toxic,) = LinkSlowAccept(delay_s=2).toxics()
    assert (toxic.type, toxic.direction, toxic.attributes) == ("slow_accept", "to_worker", {"delay": 2000})


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.kind)
def test_every_toxic_is_one_that_there_is_with_attributes_in_range(fault: type[LinkFault]) -> None:
    for toxic in fault().toxics():
        made = TOXICS[toxic.type](**toxic.attributes)
        assert made.attributes().items() >= toxic.attributes.items()


@pytest.mark.parametrize(
    ("fault", "parameters", "words"),
    [
        (LinkJitter, {"jitter_s": -1}, "jitter_s must be 0 or more"),
        (LinkBandwidth, {"rate_kb_per_s": 0.5}, "rate_kb_per_s must be 1 or more"),
        (LinkSlicer, {"slice_bytes": 1}, "slice_bytes must be 2 or more"),
        (LinkSlicer, {"gap_s": float("nan")}, "gap_s must be 0 or more"),
        (LinkGap, {"gap_s": -0.1}, "gap_s must be 0 or more"),
        (LinkFirstByte, {"delay_s": -1}, "delay_s must be 0 or more"),
        (LinkSlowAccept, {"delay_s": float("inf")}, "delay_s must be 0 or more and at most 1000000"),
        (LinkSlowClose, {"delay_s": -1}, "delay_s must be 0 or more"),
        (LinkStall, {"after_s": 0}, "after_s must be above 0"),
        (LinkReset, {"after_s": -1}, "after_s must be 0 or more"),
        (LinkLimit, {"bytes": 0}, "bytes must be 1 or more"),
    ],
)
def test_what_is_out_of_range_is_refused(
    fault: type[LinkFault], parameters: dict[str, float], words: str
) -> None:
    with pytest.raises(ValueError, match=f"{fault.kind}: {words}"):
        fault(**parameters)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.kind)
@pytest.mark.parametrize("size", [1e9, 1e16, 1e300, 1.7e308])
def test_what_no_toxic_can_be_told_is_refused_before_anything_is_asked_of_one(
    fault: type[LinkFault], size: float
) -> None:
    for made in filter(None, (_made(fault, name, size) for name in fault().parameters())):
        for level in (1.0, 0.025):
            for toxic in (made.at(level) or made).toxics():
                TOXICS[toxic.type](**toxic.attributes)


def _made(fault: type[LinkFault], name: str, size: float) -> LinkFault | None:
    try:
        return fault(**{name: size})
    except ValueError:
        return None


@pytest.mark.parametrize("ratio", [0, -0.1, 1.1, float("nan")])
@pytest.mark.parametrize("fault", [LinkLatency, LinkStall, LinkBlackHole, LinkReset])
def test_a_share_of_connections_is_above_0_and_at_most_1(fault: type[LinkFault], ratio: float) -> None:
    with pytest.raises(ValueError, match="connections_ratio must be above 0 and at most 1"):
        fault(connections_ratio=ratio)
    (toxic,) = fault(connections_ratio=0.25).toxics()
    assert toxic.toxicity == 0.25


def test_at_half_its_strength_a_delay_is_half_as_long_and_a_line_twice_as_wide() -> None:
    assert LinkLatency(latency_s=4).at(0.5) == LinkLatency(latency_s=2)
    assert LinkSlicer(slice_bytes=100, gap_s=1).at(0.25) == LinkSlicer(slice_bytes=100, gap_s=0.25)
    assert LinkBandwidth(rate_kb_per_s=10).at(0.5) == LinkBandwidth(rate_kb_per_s=20)
    assert LinkBandwidth(rate_kb_per_s=10).at(0) is None


@pytest.mark.parametrize("fault", [LinkStall(), LinkBlackHole(), LinkReset(), LinkLimit()])
def test_what_cannot_be_halved_is_there_or_not(fault: Fault) -> None:
    assert [fault.at(level) for level in (0.0, 0.4, 0.6, 1.0)] == [None, None, fault, fault]


def test_times_may_be_shares_of_the_timeout() -> None:
    assert LinkStall(after_s=OfTimeout(0.5)).sized(8) == LinkStall(after_s=4)
    assert LinkReset(after_s=OfTimeout(2)).sized(3).effect().asked == 6


def test_slices_of_the_chosen_size_have_half_of_it_to_all() -> None:
    (toxic,) = LinkSlicer(slice_bytes=100).toxics()
    sizes = list(TOXICS["slicer"](**toxic.attributes).sizes(32_000, random.Random(1)))
    assert (min(sizes) >= 50, max(sizes) <= 100, sum(sizes)) == (True, True, 32_000)


def test_a_reset_at_once_is_seen_by_how_many_and_a_late_one_by_when() -> None:
    assert (LinkReset().effect().quantity, LinkReset().effect().asked) == ("reset share", 1.0)
    assert LinkReset(connections_ratio=0.3).effect().asked == 0.3
    late = LinkReset(after_s=2, connections_ratio=0.3).effect()
    assert (late.quantity, late.asked) == ("time to the reset", 2)
