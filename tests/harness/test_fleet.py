"""A scenario at another size: what grows with it, what stays, and what is refused."""

from dataclasses import replace
from math import inf, nan

import pytest

from faults.engine.slow_steps import SlowSteps
from harness.capacity import capacity_rps, step_floor_s
from harness.errors import BadInput
from harness.fleet import MOST_REQUESTS, TRAVELS, Fleet, resize
from harness.judging import queueing
from harness.judging.guards import TRAVELS as DEMANDED
from harness.scenario import Caller, Scenario, Tier
from harness.serving.cost_sets import SHIPPED, TINY_CPU
from scenarios import SCENARIOS

SLOW = SCENARIOS["slow_worker"]


def rates_rps(scenario: Scenario) -> dict[str, float]:
    return {caller.name: caller.rate_rps for caller in scenario.callers}


def slots(scenario: Scenario) -> dict[str, int]:
    return {tier.name: tier.slots for tier in scenario.topology.services}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("costs", SHIPPED.values(), ids=list(SHIPPED))
def test_a_fleet_that_says_nothing_leaves_the_scenario_as_it_is(name: str, costs) -> None:
    assert resize(SCENARIOS[name], Fleet(), costs) is SCENARIOS[name]


@pytest.mark.parametrize("workers", [2, 4, 8, 512])
def test_more_workers_get_the_same_load_each_and_the_same_slots_for_it(workers: int) -> None:
    resized, times = resize(SLOW, Fleet(workers=workers), TINY_CPU), workers / 4
    assert resized.topology.workers == workers
    assert rates_rps(resized) == {"chat": 16 * times, "tenant": 4 * times, "local_front": 40, "local_api": 40}
    assert slots(resized) == {"front": 32 * times, "api": 24 * times}
    assert (resized.fault, resized.faulted_workers) == (SLOW.fault, (0,))


@pytest.mark.parametrize("costs", SHIPPED.values(), ids=list(SHIPPED))
@pytest.mark.parametrize("load", [0.1, 0.7, 0.99])
def test_load_is_the_share_of_what_the_healthy_pool_can_carry(costs, load: float) -> None:
    resized = resize(SLOW, Fleet(workers=16, load=load), costs)
    asked_rps = sum(caller.rate_rps for caller in resized.callers if caller.inference)
    assert asked_rps / 16 / capacity_rps(resized.topology, resized.callers, costs) == pytest.approx(load)
    per_request = {name: count / asked_rps for name, count in slots(resized).items()}
    assert per_request == pytest.approx({"front": 32 / 20, "api": 24 / 20}, rel=0.1)  # whole slots
    assert rates_rps(resized)["local_front"] == 40


def test_the_smallest_load_leaves_a_slot_in_every_service() -> None:
    assert slots(resize(SLOW, Fleet(load=1e-6), TINY_CPU)) == {"front": 1, "api": 1}


def test_capacity_is_a_full_batch_of_the_answers_that_are_asked_for() -> None:
    """8 seats, 16 steps of the floor of 0.03 s each, and each of them late."""
    step_s = 0.03 + TINY_CPU.late_s
    assert capacity_rps(SLOW.topology, SLOW.callers, TINY_CPU) == pytest.approx(8 / (16 * step_s))
    longer = tuple(replace(caller, max_tokens=32) for caller in SLOW.callers if caller.inference)
    assert capacity_rps(SLOW.topology, longer, TINY_CPU) == pytest.approx(8 / (32 * step_s))


def test_a_fault_stretches_a_step_and_not_how_late_it_is() -> None:
    slowed = capacity_rps(SLOW.topology, SLOW.callers, replace(TINY_CPU, late_s=0.002), factor=10)
    assert slowed == pytest.approx(8 / (16 * 0.302))


def test_only_padded_costs_have_the_floor_of_the_topology() -> None:
    assert {name: step_floor_s(SLOW.topology, costs) for name, costs in SHIPPED.items()} == {
        "tiny_cpu": 0.03,
        "a100": 0.0,
        "h100": 0.0,
    }


def test_several_slow_workers_another_factor_and_a_bound_on_the_queues() -> None:
    resized = resize(SLOW, Fleet(workers=8, slow=3, factor=25, max_queue=8), TINY_CPU)
    assert resized.faulted_workers == (0, 1, 2)
    assert resized.fault == SlowSteps(factor=25)
    assert resized.topology.max_queue == 8


def travel_s(scenario: Scenario) -> float:
    """How long pressure needs, from the formulas of the judge and the numbers of the scenario alone."""
    factor, faulted = scenario.fault.factor, len(scenario.faulted_workers)
    capacity = capacity_rps(scenario.topology, scenario.callers, TINY_CPU)
    slowed = capacity_rps(scenario.topology, scenario.callers, TINY_CPU, factor)
    held_s = 8 / capacity
    rates = rates_rps(scenario)
    reaching_rps = rates["chat"] * faulted / scenario.topology.workers
    free = slots(scenario)["api"] - (rates["chat"] + rates["tenant"]) * held_s
    return queueing.travel_s(free, reaching_rps, faulted * slowed, 8 / slowed)


@pytest.mark.parametrize(
    "fleet",
    [
        Fleet(workers=8, load=0.7),
        Fleet(workers=64, slow=4),
        Fleet(workers=64, slow=8, load=0.7),
        Fleet(workers=512, slow=20, factor=50),
    ],
    ids=lambda fleet: fleet.words,
)
def test_the_fault_lasts_until_pressure_could_have_travelled(fleet: Fleet) -> None:
    resized = resize(SLOW, fleet, TINY_CPU)
    assert resized.phases.fault_s >= TRAVELS * travel_s(resized) > DEMANDED * travel_s(resized) > 0
    assert resized.phases.fault_s <= max(SLOW.phases.fault_s, TRAVELS * travel_s(resized) + 1)
    assert replace(resized.phases, fault_s=SLOW.phases.fault_s) == SLOW.phases


@pytest.mark.parametrize(
    "fleet",
    [Fleet(workers=64, factor=1.5), Fleet(workers=512), Fleet(max_queue=0), Fleet(workers=64, load=0.05)],
    ids=lambda fleet: fleet.words,
)
def test_where_pressure_cannot_travel_the_fault_lasts_as_long_as_ever(fleet: Fleet) -> None:
    """A worker that keeps up, or whose batch and queue hold fewer than there are slots."""
    assert resize(SLOW, fleet, TINY_CPU).phases == SLOW.phases


@pytest.mark.parametrize("name", ["healthy", "dead_worker", "slow_link"])
def test_every_scenario_may_have_another_size(name: str) -> None:
    resized = resize(SCENARIOS[name], Fleet(workers=8, load=0.5), TINY_CPU)
    assert resized.topology.workers == 8
    assert resized.phases == SCENARIOS[name].phases


def test_callers_of_several_kinds_share_the_capacity_by_their_tokens() -> None:
    mixed = replace(
        SLOW,
        callers=(
            Caller(name="short", enters="front", rate_rps=3, max_tokens=8),
            Caller(name="long", enters="front", rate_rps=1, max_tokens=40),
        ),
    )
    step_s = 0.03 + TINY_CPU.late_s
    assert capacity_rps(mixed.topology, mixed.callers, TINY_CPU) == pytest.approx(8 / (16 * step_s))


REFUSED = [
    ("slow_worker", Fleet(workers=0), "--workers must be 1 to 10000, got 0"),
    ("slow_worker", Fleet(workers=-4), "--workers must be 1 to 10000, got -4"),
    ("slow_worker", Fleet(workers=10_001), "--workers must be 1 to 10000, got 10001"),
    ("slow_worker", Fleet(workers=1), "--workers must be at least 2, got 1: one must not be faulted"),
    ("healthy", Fleet(workers=1), "--workers must be at least 2, got 1: tenant never uses worker 0"),
    ("slow_worker", Fleet(slow=0), "--slow must be 1 to 3 of 4 workers"),
    ("slow_worker", Fleet(slow=4), "--slow must be 1 to 3 of 4 workers"),
    ("slow_worker", Fleet(workers=2, slow=2), "--slow must be 1 to 1 of 2 workers"),
    ("healthy", Fleet(slow=1), "--slow: scenario 'healthy' has no fault. Leave it out"),
    ("slow_worker", Fleet(load=1.0), r"--load 1: .*Below 1 is accepted, or a bound: --max-queue 8"),
    ("slow_worker", Fleet(load=3.5), r"share of the 63\.49 requests/s that 4 healthy workers can carry"),
    ("slow_worker", Fleet(load=0), "--load must be above 0 and finite, got 0"),
    ("slow_worker", Fleet(load=-0.5), "--load must be above 0 and finite"),
    ("slow_worker", Fleet(load=inf, max_queue=8), "--load must be above 0 and finite"),
    ("slow_worker", Fleet(load=nan), "--load must be above 0 and finite"),
    ("slow_worker", Fleet(factor=0.5), "--factor: slow_steps: factor must be 1 or more"),
    ("slow_worker", Fleet(factor=nan), "--factor: slow_steps: factor must be 1 or more"),
    (
        "slow_worker",
        Fleet(factor=inf),
        "--factor: slow_steps: factor must be 1 or more and at most 1000000000",
    ),
    ("healthy", Fleet(factor=2), "--factor: scenario 'healthy' has no fault. Leave it out"),
    ("slow_link", Fleet(factor=2), "link_latency, has no factor. It has: latency_s"),
    ("dead_worker", Fleet(factor=2), "killed, has no factor. It has: nothing to set"),
    ("slow_worker", Fleet(max_queue=-1), "--max-queue must be 0 to 1000000, got -1"),
    ("slow_worker", Fleet(workers=10_000, load=0.9), f"at most {MOST_REQUESTS:,} are accepted"),
]


@pytest.mark.parametrize(("name", "fleet", "says"), REFUSED, ids=lambda value: getattr(value, "words", None))
def test_what_cannot_be_is_refused_with_what_would_be_accepted(name: str, fleet: Fleet, says: str) -> None:
    with pytest.raises(BadInput, match=says) as refused:
        resize(SCENARIOS[name], fleet, TINY_CPU)
    assert "\n" not in str(refused.value)


def test_load_over_the_capacity_is_accepted_with_a_bound_on_the_queues() -> None:
    resized = resize(SLOW, Fleet(load=1.5, max_queue=8), TINY_CPU)
    asked_rps = sum(caller.rate_rps for caller in resized.callers if caller.inference)
    assert asked_rps == pytest.approx(1.5 * 4 * capacity_rps(SLOW.topology, SLOW.callers, TINY_CPU))


def test_one_worker_is_accepted_where_nothing_is_faulted_and_nobody_avoids_it() -> None:
    callers = tuple(caller for caller in SCENARIOS["healthy"].callers if not caller.avoids_fault)
    resized = resize(replace(SCENARIOS["healthy"], callers=callers), Fleet(workers=1), TINY_CPU)
    assert (resized.topology.workers, slots(resized)) == (1, {"front": 8, "api": 6})


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_where_all_workers_are_slow_all_are_at_another_size(workers: int) -> None:
    resized = resize(SCENARIOS["all_slow"], Fleet(workers=workers), TINY_CPU)
    assert resized.faulted_workers == tuple(range(workers))
    assert resize(SCENARIOS["all_slow"], Fleet(load=0.5), TINY_CPU).faulted_workers == (0, 1, 2, 3)


def test_words_name_what_differs() -> None:
    assert Fleet(workers=512, load=0.7, max_queue=0).words == "workers=512 load=0.7 max_queue=0"
    assert Fleet().words == ""


def test_slots_are_whole() -> None:
    topology = replace(SLOW.topology, services=(Tier(name="front", slots=3),))
    odd = replace(SLOW, topology=topology, callers=SLOW.callers[:3])
    resized = resize(odd, Fleet(workers=6), TINY_CPU)
    assert slots(resized) == {"front": 5}  # 4.5, rounded up
