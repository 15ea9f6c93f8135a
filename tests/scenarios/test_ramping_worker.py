"""A worker that becomes slow little by little: nothing breaks, and the slots run out all the same."""

from faults.engine.slow_steps import SlowSteps
from harness.judging.history import FaultChanged
from harness.judging.verdict import judge
from scenarios.ramping_worker import SCENARIO
from tests.scenarios.conducted import conduct, during, spells


def slots_gone_s(folder, fault=None):
    result = judge(conduct(SCENARIO, "none", folder, fault=fault))
    return {place.name: place.full_after_s for place in result.places}["api"]


def test_slots_run_out_much_later_than_when_it_is_slow_at_once(tmp_path):
    at_once_s = slots_gone_s(tmp_path / "constant", SlowSteps(factor=SCENARIO.fault.factor))
    assert slots_gone_s(tmp_path / "ramp") > 1.5 * at_once_s


def test_who_looks_for_slowness_finds_it_before_it_is_half_as_slow_as_it_will_be(tmp_path):
    for preset in ("contain", "timeout_breaker"):
        history = conduct(SCENARIO, preset, tmp_path / preset)
        found_s = during(history).start_s + spells(history)[0]
        level = max(c.level for c in history.of(FaultChanged) if c.active and c.at_s <= found_s)
        assert level < 0.5, preset


def test_who_looks_for_errors_finds_nothing(tmp_path):
    assert spells(conduct(SCENARIO, "outlier_errors() | round_robin()", tmp_path)) == []
