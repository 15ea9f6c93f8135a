import pytest

from faults.fault import Fault
from harness.asking import plan_requests
from harness.config import scenarios
from harness.judging.verdict import Verdict
from harness.scenario import Caller, Phases, Scenario
from policies.presets import PRESETS


@pytest.mark.parametrize("name", scenarios())
def test_every_scenario_states_a_verdict_for_every_preset(name: str) -> None:
    assert set(scenarios()[name].expects) == set(PRESETS)


@pytest.mark.parametrize("name", scenarios())
def test_every_scenario_has_bystanders_at_every_service(name: str) -> None:
    scenario = scenarios()[name]
    local = {caller.enters for caller in scenario.callers if not caller.inference}
    assert local == {tier.name for tier in scenario.topology.services}


def test_the_suite_can_fail_and_can_pass() -> None:
    stated = {verdict for scenario in scenarios().values() for verdict in scenario.expects.values()}
    assert stated == {Verdict.PASS, Verdict.FAIL}


def test_phases_follow_each_other_without_gaps() -> None:
    phases = Phases(warm_up_s=1, baseline_s=2, fault_s=3, recovery_s=4)
    assert phases.starts() == {"warm_up": 0, "baseline": 1, "fault": 3, "recovery": 6, "drain": 10}
    assert phases.load_s == 10


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"faulted_workers": (0, 4)}, "faulted_workers: 4 is not in the pool"),
        ({"faulted_workers": (1, 1)}, "are not distinct"),
        ({"faulted_workers": ()}, "a fault needs at least one"),
        ({"faulted_workers": (0, 1, 2, 3)}, "caller 'tenant' avoids the fault, but all workers have it"),
        ({"callers": (Caller(name="c", enters="nowhere", rate_rps=1),)}, "enters unknown service 'nowhere'"),
    ],
)
def test_a_scenario_that_cannot_be_is_refused(changes: dict, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Scenario(name="x", meaning="", fault=Fault(), expects={}, **changes)


def test_the_same_seed_plans_the_same_requests_under_every_preset_and_fault() -> None:
    plans = [plan_requests(scenario, seed=5) for scenario in scenarios().values()]
    assert all(plan == plans[0] for plan in plans)
    assert plan_requests(scenarios()["healthy"], seed=6) != plans[0]


def test_a_plan_is_in_order_of_time_and_within_the_load() -> None:
    scenario = scenarios()["healthy"]
    times = [planned.intended_s for planned in plan_requests(scenario, seed=1)]
    assert times == sorted(times)
    assert times[-1] < scenario.phases.load_s
