"""Whole runs, simulated, and what must be said of them."""

import pytest
from msgspec.structs import replace

from harness.judging.case import lay_out
from harness.judging.history import Finished, History
from harness.judging.result import Measure, Verdict
from harness.judging.verdict import _compare, judge
from tests.harness.judging.synthetic import (
    CHAT,
    CONTAINED,
    LOCAL_API,
    LOCAL_FRONT,
    TENANT,
    judged,
    simulate,
)

PASS, FAIL, INCONCLUSIVE = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE


def broken(result):
    return [guard.name for guard in result.guards if not guard.ok]


def by_name(measures, name, about):
    return [measure for measure in measures if (measure.name, measure.about) == (name, about)]


@pytest.mark.parametrize("seed", range(1, 6))
def test_one_slow_worker_spreads_to_callers_that_never_reach_it(seed):
    result = judged(seed=seed)
    assert result.verdict is FAIL
    assert result.hop_depth == 2
    assert result.headline.startswith("pressure spread to front (2 hops up): local_front p")
    assert broken(result) == []
    assert result.law.contradicted == ""


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_policy_that_benches_the_worker_contains_it(seed):
    result = judged(seed=seed, **CONTAINED)
    assert result.verdict is PASS
    assert result.hop_depth == 0
    assert result.headline.startswith("contained: no bystander felt it (worst: ")
    assert result.headline.endswith("chat keeps 100% of its goodput")
    assert result.reasons == []


def test_a_dead_worker_is_contained_although_its_own_callers_lose_their_share():
    result = judged(kind="killed")
    assert result.verdict is PASS
    assert result.headline.endswith("chat keeps 73% of its goodput")
    assert result.metrics["touched_goodput_ratio"].during == pytest.approx(0.75, abs=0.05)
    assert result.metrics["bystander_goodput_ratio"].during == 1.0
    assert result.causes[0].cause == "connection refused"


def test_a_slow_link_spreads_as_well():
    result = judged(kind="link_latency", size=6.0)
    assert result.verdict is FAIL
    assert result.hop_depth == 2


def test_nothing_rises_without_a_fault_and_every_caller_is_a_bystander():
    result = judged(kind=None)
    assert result.verdict is PASS
    assert result.headline.startswith("nothing rose (worst: ")
    assert all(caller.bystander for caller in result.callers)


def test_a_surge_without_a_fault_is_a_fail_too():
    """Something rose although nothing was done: a false alarm of a policy would look like this."""
    records = simulate(kind="slow_steps").records
    setup = judged(kind=None).setting
    healthy = simulate(kind=None, seed=setup.seed).setup
    assert judge(History([healthy, *records[1:]])).verdict is FAIL


def test_the_rest_moving_to_three_workers_is_no_spread():
    """A benched worker's share makes the others busier by a third; that must not look like spread."""
    measures = judged(**CONTAINED).measures
    (growth,) = by_name(measures, "hop_growth", "gateway")
    assert growth.value > 1.1
    assert not growth.proved


@pytest.mark.parametrize(
    ("changes", "guard"),
    [
        ({"effect": 1.0}, "fault bit"),
        ({"installed": False}, "fault bit"),
        ({"effect": 7.0, **CONTAINED}, "fault as strong as asked"),
        ({"fault_s": 6.0, **CONTAINED}, "fault long enough"),
        ({"lag_s": 0.2, "kind": None}, "generator on time"),
        ({"lag_s": 0.2, "kind": "killed"}, "generator on time"),
        ({"callers": (CHAT,)}, "asserted"),
        ({"baseline_s": 3.0, **CONTAINED}, "enough samples"),
        ({"baseline_error_ratio": 0.1, **CONTAINED}, "baseline good"),
        ({"clean": False, **CONTAINED}, "cleaned up"),
        ({"removed": False, **CONTAINED}, "cleaned up"),
        ({"slots": (("front", 8), ("api", 24), ("gateway", None))}, "baseline at ease"),
    ],
)
def test_a_broken_precondition_makes_the_run_inconclusive(changes, guard):
    result = judged(**changes)
    assert result.verdict is INCONCLUSIVE
    assert guard in broken(result)
    assert result.headline.startswith("inconclusive: ")
    assert result.reasons


@pytest.mark.parametrize("changes", [{"clean": False}, {"baseline_s": 3.0}, {"fault_s": 8.0}])
def test_a_proved_spread_stands_when_only_a_pass_would_be_void(changes):
    result = judged(**changes)
    assert broken(result)
    assert result.verdict is FAIL


def test_a_late_generator_does_not_hide_a_spread_far_beyond_its_lag():
    result = judged(lag_s=0.03)
    assert "generator on time" in broken(result)
    assert result.verdict is FAIL


def test_an_unclean_end_is_in_the_result():
    assert judged(clean=False).clean is False
    assert judged().clean is True


def test_requests_still_open_at_the_end_are_hung_and_counted():
    result = judged(drain_s=0.5)
    assert result.outcomes["hung"] > 0
    assert sum(result.outcomes.values()) == result.offered
    assert result.verdict is FAIL


def test_noise_that_can_be_chance_is_no_fail_and_no_pass():
    """One bad second in twenty moves the p99 and the goodput, but one second is not evidence."""
    records = []
    for record in simulate(kind="killed").records:
        if getattr(record, "request", "").startswith("local_api") and 20 <= record.at_s < 20.8:
            record = _failed(record)
        records.append(record)
    result = judge(History(records))
    assert result.verdict is INCONCLUSIVE
    assert result.headline.startswith("inconclusive: too noisy to decide: local_api p99 2ms -> ")
    assert any(reason.startswith("perhaps chance: ") for reason in result.reasons)


def test_microscopic_latencies_cannot_flip_a_verdict():
    """Local requests go from 2 to 10 ms: five times as much, and nothing that anyone could feel."""
    records = []
    for record in simulate(kind="killed").records:
        if type(record).__name__ == "Ended" and record.request.startswith("local") and record.at_s > 13:
            record = replace(record, at_s=record.at_s + 0.008)
        records.append(record)
    result = judge(History(records))
    median, *_, tail = by_name(result.measures, "latency_inflation", "local_api")
    assert median.during / median.before == pytest.approx(5, rel=0.05)
    assert tail.value < 1.25
    assert result.verdict is PASS


def test_a_single_caller_hit_is_enough():
    result = judged(callers=(CHAT, LOCAL_API))
    assert result.verdict is FAIL
    (radius,) = by_name(result.measures, "blast_radius", "bystanders")
    assert radius.value == 1.0


def test_untouched_requests_suffer_only_when_pressure_spreads():
    (spread,) = by_name(judged().measures, "contagion", "untouched requests")
    (contained,) = by_name(judged(**CONTAINED).measures, "contagion", "untouched requests")
    assert spread.value > 0.5
    assert contained.value == pytest.approx(0, abs=0.02)


def test_the_faulted_worker_captures_the_slots_of_whoever_waits():
    (spread,) = by_name(judged().measures, "slot_capture", "worker 2")
    (contained,) = by_name(judged(**CONTAINED).measures, "slot_capture", "worker 2")
    assert spread.before < 0.15
    assert spread.value > 0.7
    assert contained.value < 0.1


def test_the_same_history_gives_the_same_result():
    history = simulate()
    assert judge(history) == judge(history)


def test_judging_leaves_the_history_as_it_was():
    history = simulate(fault_s=4.0)
    before = list(history.records)
    judge(history)
    assert history.records == before


@pytest.mark.parametrize("missing", [Finished, type(simulate(fault_s=1.0).records[5])])
def test_a_history_that_breaks_off_is_refused_in_one_line(missing):
    records = simulate(fault_s=2.0, recovery_s=1.0).records
    cut = [r for r in records if not isinstance(r, Finished)] if missing is Finished else records[:50]
    with pytest.raises(ValueError, match=r"^the history cannot be judged: .*$"):
        judge(History(cut))


def test_a_request_of_an_unknown_caller_is_refused():
    history = simulate(fault_s=2.0, callers=(CHAT, TENANT, LOCAL_FRONT))
    other = simulate(fault_s=2.0, callers=(CHAT, LOCAL_FRONT)).setup
    with pytest.raises(ValueError, match="'tenant' is no caller of its set-up"):
        judge(History([other, *history.records[1:]]))


def test_a_run_without_recovery_has_no_after():
    records = [r for r in simulate(recovery_s=0.0).records if getattr(r, "phase", "") != "recovery"]
    result = judge(History(records))
    assert result.verdict is FAIL
    assert all(trend.after is None for trend in result.callers[0].metrics.values())


def _failed(record):
    return replace(record, kind="error") if type(record).__name__ == "Ended" else record


def test_an_overloaded_machine_contradicts_no_law():
    """A dead worker fills no slots; here too much load did, which says nothing about the law."""
    result = judged(kind="killed", slots=(("front", 8), ("api", 24), ("gateway", None)))
    assert result.law.must_fill is False
    assert result.law.measured_s is not None
    assert result.law.contradicted == ""


@pytest.mark.parametrize("preset_timeout_s", [None, 2.0, 300.0])
def test_a_dead_worker_is_contained_under_every_bound_since_nobody_waits(preset_timeout_s):
    assert judged(kind="killed", timeout_s=preset_timeout_s).verdict is Verdict.PASS


def test_a_spread_beyond_all_doubt_stands_on_a_baseline_that_was_not_perfect():
    result = judged(baseline_error_ratio=0.08)
    broken = {guard.name for guard in result.guards if not guard.ok}
    assert broken == {"baseline good"}
    assert result.verdict is Verdict.FAIL


def test_an_objective_that_is_broken_alone_does_not_say_that_nothing_spread():
    """What is beyond mild, perhaps by chance, is neither spread nor contained."""
    case = lay_out(simulate())
    places = judge(simulate()).places
    perhaps = Measure(
        name="latency_inflation", about="tenant", quantile=0.5, value=1.5, lower=1.0, upper=2.0,
        mild=1.25, severe=2.0, deciding=True,
    )  # fmt: skip
    calm = perhaps.model_copy(update={"value": 1.0, "upper": 1.1})

    def contradicted(measure):
        return _compare(case, places, Verdict.FAIL, [measure], []).contradicted

    assert case.prediction.must_fill
    assert contradicted(perhaps) == ""
    assert "yet the verdict is contained" in contradicted(calm)
