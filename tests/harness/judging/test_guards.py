import numpy as np
import pytest
from msgspec.structs import replace

from harness.judging import guards
from harness.judging.bite import measure_bite
from harness.judging.case import lay_out
from harness.judging.history import Attempted, FaultChanged, History
from harness.judging.result import Law
from harness.judging.windows import timeline
from tests.harness.judging.synthetic import CHAT, CONTAINED, simulate


def long_enough(law, **changes):
    case = lay_out(simulate(recovery_s=1.0, **changes))
    (guard,) = guards.fault_long_enough(case.setup, case.times, law)
    return guard


@pytest.mark.parametrize(("travel_s", "ok"), [(6.0, True), (6.8, True), (7.0, False)])
def test_a_fault_must_last_three_times_as_long_as_pressure_travels(travel_s, ok):
    assert long_enough(Law(words="", travel_s=travel_s)).ok is ok


@pytest.mark.parametrize(("timeout_s", "ok"), [(2.0, True), (2.5, False), (None, True)])
def test_a_fault_must_last_ten_timeouts(timeout_s, ok):
    assert long_enough(Law(words=""), timeout_s=timeout_s).ok is ok


@pytest.mark.parametrize(("rho_s", "ok"), [(0.5, True), (2.0, False), (None, True)])
def test_bounds_must_act_where_requests_wait_though_no_slots_can_run_out(rho_s, ok):
    assert long_enough(Law(words="", must_fill=False, rho_s=rho_s), timeout_s=2.5).ok is ok


def test_a_healthy_run_needs_no_length():
    case = lay_out(simulate(kind=None, fault_s=3.0, recovery_s=1.0))
    assert guards.fault_long_enough(case.setup, case.times, case.prediction) == []


@pytest.mark.parametrize(("lag_s", "ok"), [(0.0, True), (0.008, True), (0.03, False)])
def test_the_lag_allowed_grows_with_the_time_to_first_token(lag_s, ok):
    case = lay_out(simulate(lag_s=lag_s, kind=None, fault_s=8.0, recovery_s=1.0))
    guard = guards.generator_on_time(case.cohorts, case.windows[:2], [])
    assert guard.ok is ok
    assert guard.voids == "any verdict"


def test_without_streams_five_milliseconds_are_allowed():
    local = [caller for caller in lay_out(simulate(fault_s=2.0)).cohorts if not caller.setup.inference]
    assert guards._first_token_bound_s(local, lay_out(simulate(fault_s=2.0)).windows[0]) == 0


def test_a_slow_system_does_not_excuse_a_slow_generator():
    """With first tokens after 30 s, 5 % of the bound would allow seconds."""
    case = lay_out(simulate(fault_s=8.0, lag_s=0.2, slots=(("front", 5), ("api", 24), ("gateway", None))))
    first_token_s = np.median([r.first_token_s for r in case.cohorts[0].requests if r.answered])
    assert first_token_s * 5 * guards.LAG_RATIO > 0.2
    assert not guards.generator_on_time(case.cohorts, case.windows[:2], []).ok


def test_a_service_without_free_slots_before_the_fault_is_too_small():
    case = lay_out(simulate(fault_s=4.0, slots=(("front", 8), ("api", 24), ("gateway", None))))
    guard = guards.baseline_at_ease(case.hops, case.windows[0])
    assert not guard.ok
    assert guard.words.startswith("front had no free slot before the fault")


def test_the_worst_caller_decides_whether_the_baseline_was_good():
    case = lay_out(simulate(fault_s=4.0, baseline_error_ratio=0.2))
    guard = guards.baseline_good(case.cohorts, case.windows[0], [])
    assert not guard.ok
    assert not guards.baseline_good([], case.windows[0], []).ok


def test_a_caller_with_too_few_requests_is_named():
    case = lay_out(simulate(baseline_s=3.0, **CONTAINED))
    guard = guards.enough_samples(case.bystanders, [now.cohort for _, now in case.judged])
    assert not guard.ok
    assert guard.words.endswith(": tenant")


# report 14: litmus#3573, chaos-operator#346
def test_nothing_asserted_is_no_verdict():
    assert guards.something_asserted([]).ok is False
    assert lay_out(simulate(fault_s=2.0, callers=(CHAT,))).judged == []


def test_a_fault_that_rises_counts_while_it_is_strongest():
    history = simulate(recovery_s=1.0)
    start_s = lay_out(history).times.fault.start_s
    late = FaultChanged(at_s=start_s + 10.0, active=True)
    records = [
        replace(r, level=0.5) if isinstance(r, FaultChanged) and r.active else r for r in history.records
    ]
    case = lay_out(History([*records[:-1], late, records[-1]]))
    assert guards.fault_long_enough(case.setup, case.times, Law(words="", travel_s=3.0))[0].ok
    (guard,) = guards.fault_long_enough(case.setup, case.times, Law(words="", travel_s=4.0))
    assert guard.words == "the fault was at its strongest for 10.0 s, 12.0 s are needed to call it contained"


# report 13: litmus#4934, litmus-go#719
def test_a_fault_that_no_request_met_tells_nothing():
    history = simulate(fault_s=4.0, recovery_s=1.0)
    spared = [r for r in history.records if not (isinstance(r, Attempted) and r.worker == "worker 2")]
    touched, missed = (measure_bite(h, timeline(h)) for h in (history, History(spared)))
    assert guards.fault_bit(touched)[0].ok
    guard = guards.fault_bit(missed)[0]
    assert (guard.ok, guard.voids) == (False, "any verdict")
    assert guard.words == "the fault touched no request: none was at worker 2 while it was on"


def test_a_killed_worker_leaves_nothing_to_remove():
    case = lay_out(simulate(kind="killed", removed=False, fault_s=4.0))
    assert guards.cleaned_up(case.setup, case.times, case.finished).ok
    assert not guards.cleaned_up(
        case.setup, case.times, lay_out(simulate(clean=False, fault_s=4.0)).finished
    ).ok
