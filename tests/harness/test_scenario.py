from dataclasses import replace

import pytest

from faults.fault import Fault
from harness.asking import plan_requests
from harness.config import scenarios
from harness.judging.verdict import Verdict
from harness.scenario import Burst, Caller, Phases, Scenario
from policies.presets import PRESETS

CALLER = Caller(name="c", enters="front", rate_rps=1)


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
        ({"callers": (replace(CALLER, pinned_to=4),)}, "is pinned to 4, which is not in the pool"),
        ({"callers": (replace(CALLER, cache_owners=1),)}, "which needs distinct_prompts"),
        (
            {"callers": (replace(CALLER, cache_owners=1, distinct_prompts=2, pinned_to=1),)},
            "leave out cache_owners",
        ),
        ({"callers": (Caller(name="c", enters="nowhere", rate_rps=1),)}, "enters unknown service 'nowhere'"),
    ],
)
def test_a_scenario_that_cannot_be_is_refused(changes: dict, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Scenario(name="x", meaning="", fault=Fault(), expects={}, **changes)


def test_the_same_seed_plans_the_same_requests_under_every_preset_and_fault() -> None:
    usual = scenarios()["healthy"]
    alike = [s for s in scenarios().values() if (s.callers, s.phases) == (usual.callers, usual.phases)]
    plans = [plan_requests(scenario, seed=5) for scenario in alike]
    assert len(plans) > 3
    assert all(plan == plans[0] for plan in plans)
    assert plan_requests(scenarios()["healthy"], seed=6) != plans[0]


def test_a_burst_adds_requests_for_its_time_and_moves_no_other() -> None:
    usual = scenarios()["healthy"]
    chat, *others = usual.callers
    burst = Burst(rate_rps=100, length_s=3, after_s=2)
    bursting = replace(usual, callers=(replace(chat, burst=burst), *others))
    before, after = (
        {(planned.intended_s, planned.caller) for planned in plan_requests(scenario, seed=1)}
        for scenario in (usual, bursting)
    )
    assert before < after
    more = sorted(at_s for at_s, caller in after - before if caller == "chat")
    start_s = usual.phases.starts()["fault"] + 2
    assert start_s <= more[0] <= more[-1] < start_s + 3
    assert len(more) == pytest.approx(300, rel=0.2)
    numbers = [planned.number for planned in plan_requests(bursting, seed=1) if planned.caller == "chat"]
    assert numbers == list(range(len(numbers)))


def test_a_larger_fleet_has_larger_bursts() -> None:
    caller = Caller(name="c", enters="front", rate_rps=2, burst=Burst(rate_rps=10, length_s=3))
    assert caller.times(4) == replace(caller, rate_rps=8, burst=Burst(rate_rps=40, length_s=3))


def test_a_plan_is_in_order_of_time_and_within_the_load() -> None:
    scenario = scenarios()["healthy"]
    times = [planned.intended_s for planned in plan_requests(scenario, seed=1)]
    assert times == sorted(times)
    assert times[-1] < scenario.phases.load_s
