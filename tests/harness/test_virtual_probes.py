"""A policy that asks workers for their load, in whole virtual runs."""

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
from harness.scenario import Phases
from harness.serving.cost_sets import SHIPPED
from harness.virtual_deployment import deploy_virtual
from policies.presets.preset import own_pipeline
from scenarios import SCENARIOS

SHORT = Phases(warm_up_s=0.5, baseline_s=2.0, fault_s=4.0, recovery_s=2.0, drain_s=5.0)
COSTS = SHIPPED["tiny_cpu"]
PIPELINE = own_pipeline("timeout(ttft=1, attempt=2) | hcl()")


def history(name: str, seed: int, deploy: Deploy, path: Path) -> bytes:
    """Tasks that are left make `run_virtual` warn, and warnings are errors here."""
    scenario = replace(SCENARIOS[name], phases=SHORT)
    run_virtual(run(scenario, PIPELINE, seed, deploy, path, NoProgress()))
    return path.read_bytes()


@asynccontextmanager
async def without_strides(*args: object, costs: object) -> AsyncIterator[Deployment]:
    async with deploy_virtual(*args, costs=costs) as deployment:
        for link in deployment.links.values():
            link.worker._strides.on = False
        yield deployment


@pytest.mark.parametrize("name", ["slow_worker", "slow_link", "dead_worker"])
def test_with_probes_a_history_depends_on_the_seed_alone_and_not_on_strides(
    name: str, tmp_path: Path
) -> None:
    path, deploy = tmp_path / "history.jsonl", partial(deploy_virtual, costs=COSTS)
    once, again, other = (history(name, seed, deploy, path) for seed in (7, 7, 8))
    assert once == again
    assert once != other
    assert once == history(name, 7, partial(without_strides, costs=COSTS), path)
