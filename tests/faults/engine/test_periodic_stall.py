"""When a step ends that meets stalls: the arithmetic, without a worker."""

import random

import pytest

from faults.engine.periodic_stall import PeriodicStall

STALL = PeriodicStall(stall_s=0.5, every_s=2)


@pytest.mark.parametrize(
    ("started_s", "ends_s", "lets_go_s"),
    [
        (12.6, 13.0, 13.0),  # between two stalls
        (11.9, 12.2, 12.7),  # 0.1 s before the stall and 0.2 s after it
        (12.1, 12.2, 12.6),  # begun in a stall
        (10.5, 12.0, 12.0),  # just in time
        (9.9, 10.1, 10.6),  # under way when the fault began
        (10.5, 15.0, 16.0),  # 1.5 s, a stall, 1.5 s, a stall, 1.5 s
        (8.0, 9.9, 9.9),  # over before it
    ],
)
def test_a_step_takes_what_it_needs_and_the_stalls_that_it_meets(
    started_s: float, ends_s: float, lets_go_s: float
) -> None:
    assert STALL.held_until_s(ends_s, started_s, since_s=10.0) == pytest.approx(lets_go_s)


def test_no_step_ends_inside_of_a_stall_and_none_gets_more_time_than_it_needs() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        started_s = rng.uniform(0, 50)
        needs_s = rng.expovariate(1)
        ended_s = STALL.held_until_s(started_s + needs_s, started_s, since_s=0.0)
        into_s = ended_s % STALL.every_s
        assert into_s >= STALL.stall_s - 1e-9 or into_s < 1e-9
        moved_s = STALL._moved(ended_s) - STALL._moved(started_s)
        assert moved_s == pytest.approx(needs_s)


def test_without_a_stall_nothing_is_held() -> None:
    none = STALL.at(0)
    assert none is not None
    assert none.held_until_s(12.3, 12.1, since_s=10.0) == 12.3


def test_a_ramp_makes_the_stalls_longer_and_not_more_frequent() -> None:
    half = STALL.at(0.5)
    assert half == PeriodicStall(stall_s=0.25, every_s=2)


def test_a_stall_that_never_ends_is_refused_and_told_what_it_is() -> None:
    with pytest.raises(ValueError, match=r"stall_s must be below every_s \(2 s\), got 2.*freeze"):
        PeriodicStall(stall_s=2, every_s=2)
    with pytest.raises(ValueError, match="every_s must be above 0"):
        PeriodicStall(stall_s=0, every_s=0)
