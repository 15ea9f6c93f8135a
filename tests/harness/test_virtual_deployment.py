"""The virtual layer end to end: a history depends on scenario, preset, seed and costs, and nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from harness.clock import run_virtual
from harness.deployment import Deploy, Deployment
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Phases, Scenario
from harness.serving.cost_model import Costs
from harness.serving.cost_sets import SHIPPED
from harness.virtual_deployment import deploy_virtual
from policies.presets import PRESETS
from scenarios import SCENARIOS

SHORT = Phases(warm_up_s=0.5, baseline_s=2.0, fault_s=4.0, recovery_s=2.0, drain_s=5.0)
COSTS = SHIPPED["tiny_cpu"]
BOTH_WAYS = ("none", "contain")  # every scenario under these, every preset on one scenario
CASES = [(name, preset) for name in SCENARIOS for preset in (PRESETS if name == "slow_worker" else BOTH_WAYS)]


def history(scenario: Scenario, preset: str, seed: int, deploy: Deploy, path: Path) -> bytes:
    run_virtual(run(scenario, PRESETS[preset], seed, deploy, path, NoProgress()))
    return path.read_bytes()


@asynccontextmanager
async def without_strides(*args: object, costs: object) -> AsyncIterator[Deployment]:
    async with deploy_virtual(*args, costs=costs) as deployment:
        for link in deployment.links.values():
            link.worker._strides.on = False
        yield deployment


@pytest.mark.parametrize(("name", "preset"), CASES)
def test_a_history_is_the_same_to_the_byte_without_strides(name: str, preset: str, tmp_path: Path) -> None:
    scenario = replace(SCENARIOS[name], phases=SHORT)
    deploys = (partial(deploy_virtual, costs=COSTS), partial(without_strides, costs=COSTS))
    once, stepwise = (history(scenario, preset, 7, deploy, tmp_path / "history.jsonl") for deploy in deploys)
    assert once == stepwise
    assert once.count(b"\n") > 1000


# Where callers wait for slots, arrivals are set off by other workers' steps; with round figures they meet
# step ends all the time.
ROUND = replace(
    COSTS, sequence_s=0.0, prefill_token_s=0.0, kv_token_s=0.0, hop_s=1e-3, link_s=5e-3, late_s=0.0
)


@pytest.mark.parametrize("costs", [COSTS, ROUND], ids=["measured", "round"])
@pytest.mark.parametrize("seed", [10, 12, 13])
def test_what_happens_at_the_very_end_of_a_step_happens_before_it_with_and_without_strides(
    seed: int, costs: Costs, tmp_path: Path
) -> None:
    deploys = (partial(deploy_virtual, costs=costs), partial(without_strides, costs=costs))
    once, stepwise = (
        history(SCENARIOS["slow_worker"], "none", seed, deploy, tmp_path / "history.jsonl")
        for deploy in deploys
    )
    assert once == stepwise


@pytest.mark.parametrize("costs", SHIPPED)
def test_the_same_seed_writes_the_same_history_and_another_seed_another(costs: str, tmp_path: Path) -> None:
    scenario = replace(SCENARIOS["slow_worker"], phases=SHORT)
    deploy = partial(deploy_virtual, costs=SHIPPED[costs])
    first, again, other = (
        history(scenario, "timeout_breaker_shed", seed, deploy, tmp_path / "history.jsonl")
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_a_layer_that_has_ended_leaves_no_task_and_can_be_stood_up_again(tmp_path: Path) -> None:
    """`run_virtual` warns of tasks that are left, and warnings are errors here."""
    scenario = replace(SCENARIOS["dead_worker"], phases=SHORT)
    deploy = partial(deploy_virtual, costs=COSTS)
    assert history(scenario, "none", 1, deploy, tmp_path / "a") == history(
        scenario, "none", 1, deploy, tmp_path / "b"
    )
