"""Metastable if and only if (1 + retries) * load > capacity, and dead work is done all the same."""

from dataclasses import replace

import pytest

from harness.arms import Arm, in_arm
from harness.capacity import capacity_rps
from harness.judging.pairs.pair import judge_pair
from harness.judging.verdict import judge
from harness.scenario import Scenario
from harness.serving.cost_sets import TINY_CPU
from scenarios.slow_recovery import SCENARIO
from tests.scenarios.conducted import conduct

BOUND = "timeout(ttft=1, attempt=1)"
STORM = f"{BOUND} | retry(max_attempts=3, initial=0.1, other_worker=false) | round_robin()"
BUDGET = f"{BOUND} | retry(max_attempts=3, initial=0.1, other_worker=false, budget=0.1) | round_robin()"
LONGER = replace(SCENARIO, phases=replace(SCENARIO.phases, recovery_s=60))  # ten times a plain drain
TOLD = replace(SCENARIO, topology=replace(SCENARIO.topology, tells_workers=True))


def test_three_attempts_for_each_request_are_more_than_the_healthy_pool_can_do_and_one_is_not():
    pool_rps = capacity_rps(SCENARIO.topology, SCENARIO.callers, TINY_CPU) * SCENARIO.topology.workers
    (chat,) = (caller for caller in SCENARIO.callers if caller.inference)
    assert 1.1 * chat.rate_rps < pool_rps < 3 * chat.rate_rps


def test_retries_without_a_budget_never_come_back(tmp_path):
    fault = conduct(LONGER, STORM, tmp_path / "fault")
    control = conduct(in_arm(LONGER, Arm.CONTROL), STORM, tmp_path / "control")
    pair = judge_pair(fault, control)
    assert pair.fault.metrics["touched_goodput_ratio"].after < 0.05
    assert pair.fault.metrics["retry_amplification"].after > 2
    assert pair.control.metrics["bystander_goodput_ratio"].after > 0.95
    assert [m.value for m in pair.fault.measures if m.name == "metastable"] == [1.0]


@pytest.mark.parametrize(
    ("scenario", "pipeline"),
    [(SCENARIO, "none"), (SCENARIO, f"{BOUND} | round_robin()"), (SCENARIO, BUDGET), (TOLD, STORM)],
    ids=["no bound", "no retries", "a budget", "workers that are told"],
)
def test_it_comes_back_without_retries_or_with_a_budget_or_where_workers_are_told(
    tmp_path, scenario: Scenario, pipeline: str
):
    result = judge(conduct(scenario, pipeline, tmp_path))
    assert result.metrics["touched_goodput_ratio"].during < 0.5
    assert result.metrics["touched_goodput_ratio"].after > 0.75  # dead work is still being drained


def test_breakers_end_the_storm_and_go_on_refusing_all_for_a_minute(tmp_path):
    result = judge(conduct(SCENARIO, "resilience4j_defaults", tmp_path))
    assert result.metrics["load_amplification"].after == 0
    assert result.metrics["touched_goodput_ratio"].after == 0
