"""Numbers in, numbers out."""

import pytest

from policies.limits.typical_in_flight import MEMORY_S, TypicalInFlight


def test_the_mean_is_over_the_time_in_which_there_was_any():
    typical = TypicalInFlight()
    for start in range(0, 100, 10):  # half of the time two, then none
        typical.hold("w0", 2, start)
        typical.hold("w0", 0, start + 5)
        typical.hold("w1", 1, start)
        typical.hold("w1", 0, start + 5)
    typical.refresh(1000.0)
    assert typical.elsewhere("w1") == pytest.approx(2.0)
    assert typical.elsewhere("w0") == pytest.approx(1.0)


def test_a_quiet_hour_changes_nothing():
    typical = TypicalInFlight()
    for worker in ("w0", "w1"):
        typical.hold(worker, 4, 0.0)
        typical.hold(worker, 0, 20.0)
    for now in (20.0, 3620.0, 3621.0):
        typical.refresh(now)
        assert typical.elsewhere("w0") == pytest.approx(4.0)


def test_a_worker_that_was_hardly_busy_says_nothing():
    typical = TypicalInFlight()
    for worker in ("w0", "w1"):
        typical.hold(worker, 4, 0.0)
        typical.hold(worker, 0, MEMORY_S / 2)
    typical.refresh(100.0)
    assert typical.elsewhere("w0") is None


def test_the_latest_busy_time_counts_most():
    typical = TypicalInFlight()
    typical.hold("w0", 1, 0.0)
    typical.hold("w1", 1, 0.0)
    for second in range(20):
        typical.refresh(float(second))
    typical.hold("w0", 9, 20.0)
    for second in range(20, 51):
        typical.refresh(float(second))
    assert 8.5 < typical.elsewhere("w1") < 9
