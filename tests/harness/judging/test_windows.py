import pytest

from harness.judging.history import FaultChanged, Finished, History, PhaseStarted
from harness.judging.windows import Window, finish, timeline
from tests.harness.judging.synthetic import simulate


def phases(*extra, end_s=41.0):
    starts = {"warm_up": 0.0, "baseline": 3.0, "fault": 13.0, "recovery": 33.0}
    marks = [PhaseStarted(at_s=at, phase=name) for name, at in starts.items()]
    return History([*marks, *extra, Finished(at_s=end_s, clean=True)])


def test_the_baseline_leaves_out_what_is_in_flight_when_the_fault_begins():
    assert timeline(phases()).before() == Window(3.0, 12.0)


def test_the_fault_window_follows_the_fault_and_not_the_plan():
    changes = FaultChanged(at_s=14.5, active=True), FaultChanged(at_s=30.0, active=False)
    times = timeline(phases(*changes))
    assert times.fault == Window(14.5, 30.0)
    assert times.installed
    assert times.removed


def test_a_removal_that_its_site_did_not_confirm_is_no_removal():
    changes = FaultChanged(at_s=14, active=True), FaultChanged(at_s=30, active=False, verified=False)
    times = timeline(phases(*changes))
    assert not times.removed
    assert times.fault.end_s == 33.0


@pytest.mark.parametrize(("travel_s", "start_s"), [(None, 15.0), (3.0, 16.0), (100.0, 18.0)])
def test_the_guard_is_the_time_that_pressure_travels_but_at_most_a_quarter(travel_s, start_s):
    assert timeline(phases()).during(travel_s) == Window(start_s, 33.0)


def test_after_is_the_second_half_of_the_recovery():
    assert timeline(phases()).after() == Window(37.0, 41.0)


def test_a_run_that_broke_off_is_not_judged():
    records = simulate(fault_s=2.0, recovery_s=1.0).records
    with pytest.raises(ValueError, match="breaks off"):
        finish(History(records[:-1]))


def test_a_run_that_never_came_to_its_fault_is_not_judged():
    history = History([PhaseStarted(at_s=0, phase="baseline"), Finished(at_s=1, clean=True)])
    with pytest.raises(ValueError, match="no fault phase"):
        timeline(history)
