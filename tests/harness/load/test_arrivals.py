import random
from itertools import pairwise

import pytest

from harness.load.arrivals import poisson


def test_arrivals_ascend_within_their_window_at_the_asked_rate() -> None:
    times = poisson(50.0, 10.0, 210.0, random.Random(1))
    assert times == sorted(times)
    assert times[0] >= 10.0
    assert times[-1] < 210.0
    assert len(times) == pytest.approx(10_000, rel=0.03)


def test_gaps_are_exponential() -> None:
    times = poisson(10.0, 0.0, 2000.0, random.Random(2))
    gaps = [b - a for a, b in pairwise(times)]
    mean = sum(gaps) / len(gaps)
    deviation = (sum((g - mean) ** 2 for g in gaps) / len(gaps)) ** 0.5
    assert deviation / mean == pytest.approx(1.0, abs=0.03)


def test_the_same_seed_gives_the_same_schedule_and_another_seed_another() -> None:
    assert poisson(5, 0, 10, random.Random("a")) == poisson(5, 0, 10, random.Random("a"))
    assert poisson(5, 0, 10, random.Random("a")) != poisson(5, 0, 10, random.Random("b"))


@pytest.mark.parametrize("rate", [0, -1, float("nan")])
def test_a_rate_that_sends_nothing_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="rate_rps must be above 0"):
        poisson(rate, 0, 1, random.Random(0))
