"""From what a test asks for to judged pairs. Everything is checked before anything is started."""

import asyncio
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from faults.fault import Fault
from harness.config import check_stand, find_preset, find_scenario
from harness.errors import BadInput, unknown
from harness.fault_text import find_faults
from harness.fleet import Fleet, resize, with_phases
from harness.gating.real_rounds import RealRounds
from harness.gating.rounds import Cell, Rounds
from harness.gating.settings import LONGEST_PHASE_S
from harness.gating.virtual_rounds import VirtualRounds
from harness.judging.pairs.cell import judge_cell
from harness.judging.pairs.looks import Looks
from harness.many_runs import check_jobs
from harness.real_deployment import Options
from harness.scenario import Phases, Scenario
from harness.serving.cost_store import CALIBRATED, choose_costs
from harness.serving.leftovers import refuse_leftovers
from harness.suite import plan_runs
from harness.testing.given import check_given
from harness.testing.policy_text import Given, fault_text, policy_text
from harness.testing.scenario_run import ScenarioRun
from harness.testing.tested_run import TestedRun
from harness.virtual_run import VirtualRun

ERROR = 0.05  # two-sided: bounds are at 95 %
MOST_PAIRS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What `limplock.run` was given. `seeds`: how many pairs, from `seed` on."""

    scenario: str | Scenario
    policy: Given
    fault: str | Fault | None = None
    seeds: int = 8
    seed: int = 1
    fleet: Fleet = field(default_factory=Fleet)
    phases: Mapping[str, float] = field(default_factory=dict)
    costs: str = "tiny_cpu"
    options: Options | None = None  # of a real run

    @property
    def written(self) -> Scenario:
        return self.scenario if isinstance(self.scenario, Scenario) else find_scenario(self.scenario)

    @property
    def preset(self) -> str:
        return policy_text(self.policy, self.fleet.workers or self.written.topology.workers)

    @property
    def fault_text(self) -> str:
        return next(iter(find_faults([text] if (text := fault_text(self.fault)) else [])), "")


def conduct(asked: Asked, folder: Path) -> TestedRun:
    """Pairs of one scenario under one policy, real ones if `asked` has options for them."""
    _check_pairs(asked)
    _check_phases(asked)
    return _conduct_virtual(asked, folder) if asked.options is None else _conduct_real(asked, folder)


def _conduct_virtual(asked: Asked, folder: Path) -> TestedRun:
    run = _virtual_run(asked)
    scenario = run.resized()
    rounds = VirtualRounds(run_of=lambda _: run, folder=folder, jobs=jobs())
    return _judged(asked, scenario, rounds, folder)


def _conduct_real(asked: Asked, folder: Path) -> TestedRun:
    options = asked.options or Options()
    check_stand(options.model, options.device, options.toxiproxy)
    costs = choose_costs("auto" if asked.fleet.load is None else CALIBRATED, options.model)
    scenario = resize(with_phases(asked.written, asked.phases), asked.fleet, costs.costs)
    (planned,) = plan_runs(scenario, [find_preset(asked.preset)], [asked.fault_text])
    refuse_leftovers()
    rounds = RealRounds(plan_of=lambda _: planned, seed=asked.seed, options=options, folder=folder)
    return _judged(asked, planned.scenario, rounds, folder)


def _judged(asked: Asked, scenario: Scenario, rounds: Rounds, folder: Path) -> TestedRun:
    key = Cell(asked.preset, asked.fault_text)
    cell = judge_cell(rounds.run([key], 0, asked.seeds)[key], ERROR)
    setting = cell.setting
    other = f" with {setting.fault_ordered}" if setting.fault_ordered else ""
    size = f", {asked.fleet.words}" if asked.fleet.words else ""
    return TestedRun(
        title=f"{setting.scenario}{other} x {setting.preset}{size}",
        engine="virtual" if asked.options is None else "torch",
        scenario=scenario,
        key=key,
        cell=cell,
        folder=folder,
    )


def _virtual_run(asked: Asked) -> VirtualRun:
    run = VirtualRun(
        scenario=asked.written.name,
        preset=asked.preset,
        seed=asked.seed,
        costs=choose_costs(asked.costs).costs,
        fleet=asked.fleet,
        fault=asked.fault_text,
        phases=dict(asked.phases),
    )
    return run if _has_name(asked) else _of_value(run, asked.written)


def _of_value(run: VirtualRun, scenario: Scenario) -> ScenarioRun:
    fields = {name: getattr(run, name) for name in run.__struct_fields__}
    return ScenarioRun(**fields, given=scenario)


def _has_name(asked: Asked) -> bool:
    """A token can say it again: it is a scenario of `scenarios/`, as a name or as a value."""
    try:
        return find_scenario(asked.written.name) == asked.written
    except BadInput:
        return False


def _check_pairs(asked: Asked) -> None:
    check_given({"seeds": asked.seeds, "seed": asked.seed}, int)
    if not isinstance(asked.seeds, int) or not 1 <= asked.seeds <= MOST_PAIRS:
        raise BadInput(f"seeds must be 1 to {MOST_PAIRS}, got {asked.seeds!r}")
    if not isinstance(asked.seed, int) or not 0 <= asked.seed < 2**63:
        raise BadInput(f"seed must be 0 to 2**63 - 1, got {asked.seed!r}")
    try:
        Looks.planned(asked.seeds, asked.seeds, ERROR)
    except ValueError as few:
        raise BadInput(f"seeds={asked.seeds}: {few}") from few


def _check_phases(asked: Asked) -> None:
    known = [each.name for each in fields(Phases)]
    for name, length_s in asked.phases.items():
        if name not in known:
            raise unknown("phase", str(name), known)
        check_given({f"phases: {name}": length_s}, int, float)
        if not 0 < length_s <= LONGEST_PHASE_S:
            raise BadInput(
                f"phases: {name} must be above 0 s and at most {LONGEST_PHASE_S:g}, got {length_s:g}"
            )


def jobs() -> int:
    """Two at least: what runs in a process of its own can be stopped at any time, whoever runs this test."""
    beside = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return max(2, check_jobs(None) // beside)


def check_main_thread() -> None:
    """BadInput where a real run would not hear of Ctrl-C, or would stand still with the test's own loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        if threading.current_thread() is threading.main_thread():
            return
        raise BadInput("engine='torch' runs in the main thread only. Call limplock.run there") from None
    raise BadInput(
        "engine='torch' has a loop of its own. Make the test an ordinary function: def, not async def"
    )
