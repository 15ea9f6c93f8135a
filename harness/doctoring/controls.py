"""The runs that oracles judge: slow_worker as it is, and with all callers kept away from the slow worker."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from harness.arms import Arm, in_arm
from harness.clock import VirtualLoop
from harness.config import find_preset, find_scenario, make_folder
from harness.interrupts import run_to_the_end
from harness.judging.history import History
from harness.real_deployment import Options
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Scenario
from harness.serving.cost_model import Costs
from harness.serving.cost_sets import TINY_CPU
from harness.suite import Planned, make_history
from harness.virtual_deployment import deploy_virtual

SEED = 1
UNBOUNDED, BOUNDED = "none", "contain"
OTHER_MACHINE = replace(TINY_CPU, hop_s=1.2 * TINY_CPU.hop_s, late_s=1.2 * TINY_CPU.late_s)

Make = Callable[[Scenario, str, Arm], History]  # scenario, preset, arm


def positive() -> Scenario:
    """Shared slots, ten times slower: it must spread."""
    return find_scenario("slow_worker")


def negative() -> Scenario:
    """The same fault at a worker that gets no request: nothing may change."""
    own = positive()
    kept_away = tuple(replace(caller, avoids_fault=True) for caller in own.callers)
    return replace(own, callers=kept_away, expects={})


def virtually(scenario: Scenario, preset: str, arm: Arm, costs: Costs = TINY_CPU) -> History:
    with tempfile.TemporaryDirectory() as folder:
        deploy = partial(deploy_virtual, costs=costs)
        path = Path(folder) / "history.jsonl"
        work = run(in_arm(scenario, arm), find_preset(preset), SEED, deploy, path, NoProgress())
        return run_to_the_end(work, VirtualLoop)


def really(options: Options, folder: Path, told: Callable[[str], None]) -> Make:
    """On real processes. Histories stay in `folder`, one in a folder of its own."""

    def make(scenario: Scenario, preset: str, arm: Arm) -> History:
        kind = "with" if any(not caller.avoids_fault for caller in scenario.callers) else "without"
        told(f"{scenario.name} {kind} traffic at the slow worker, {arm}")
        where = make_folder(folder / f"{kind}-traffic-{arm}")
        planned = Planned(scenario, find_preset(preset), arm)
        return make_history(planned, SEED, options, where, NoProgress())

    return make
