"""The runs of a gate's cells, virtual or real, from its plan."""

from collections.abc import Callable
from pathlib import Path

from harness.config import find_preset
from harness.gating.plan import Plan
from harness.gating.real_rounds import RealRounds
from harness.gating.rounds import Cell, Rounds
from harness.gating.virtual_rounds import VirtualRounds
from harness.real_deployment import Options
from harness.suite import Planned
from harness.virtual_run import VirtualRun


def rounds_of(plan: Plan, options: Options, folder: Path, told: Callable[[str], None]) -> Rounds:
    """`told` hears of each round of a virtual gate; a real one shows each run as it goes."""
    guards = plan.gate.guards
    if plan.real:
        return RealRounds(
            plan_of=lambda cell: planned(plan, cell),
            seed=plan.gate.seed,
            options=options,
            folder=folder,
            guards=guards,
        )
    return VirtualRounds(
        run_of=lambda cell: virtual_run(plan, cell),
        folder=folder,
        jobs=plan.jobs,
        guards=guards,
        told=told,
    )


def virtual_run(plan: Plan, cell: Cell) -> VirtualRun:
    gate = plan.gate
    return VirtualRun(
        scenario=gate.scenario,
        preset=cell.policy,
        seed=gate.seed,
        costs=plan.chosen.costs,
        fleet=plan.fleet,
        fault=cell.fault,
        phases=dict(gate.phases),
    )


def planned(plan: Plan, cell: Cell) -> Planned:
    faults = [other.fault for other in plan.candidate]
    return Planned(plan.scenarios[faults.index(cell.fault)], find_preset(cell.policy))
