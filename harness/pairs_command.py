"""What `limplock run --pairs N` does: each preset under each fault in N pairs, judged together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from harness.arms import Arm, in_arm
from harness.commands import check_real
from harness.config import check_stand, find_preset, find_presets, find_scenario, make_folder
from harness.errors import BadInput
from harness.exit_codes import ExitCode, worst
from harness.fault_text import find_faults, with_fault
from harness.fleet import Fleet
from harness.folder_lock import folder_lock
from harness.gating.other_arms import check_controls, score_of, spread_if_dead
from harness.gating.real_rounds import RealRounds
from harness.gating.rounds import Cell, Rounds
from harness.gating.virtual_rounds import VirtualRounds
from harness.gating.written import MOST_PAIRS
from harness.interrupts import interruptible
from harness.judging.pairs.cell import judge_cell
from harness.judging.pairs.gate_verdict import sound_pairs
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.signed_rank import smallest_error
from harness.many_runs import check_jobs
from harness.real_deployment import Options
from harness.reporting.console import PipeConsole, say
from harness.reporting.pairs import pair_lines
from harness.results import file_name, new_folder, write_text
from harness.serving.cost_model import Costs
from harness.serving.cost_store import choose_costs
from harness.serving.leftovers import refuse_leftovers
from harness.suite import Planned
from harness.verdict_codes import code_of
from harness.virtual_commands import check_virtual
from harness.virtual_run import VirtualRun

CELL = "cell.json"
ERROR = 0.05  # of a cell, two-sided
FEWEST = 6  # fewer give no interval at this error


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says."""

    scenario: str
    policies: Sequence[str]
    pairs: int
    seed: int = 1
    faults: Sequence[str] = ()
    controls: str = ""
    engine: str = "torch"
    fleet: Fleet
    costs: str | None = None
    seeds: int | None = None
    jobs: int | None = None
    out: Path | None = None
    options: Options


def run_pairs(asked: Asked) -> ExitCode:
    """The worst verdict of all cells. Each cell is written beside the runs of its policy."""
    presets = [preset.name for preset in find_presets(asked.policies)]
    faults = find_faults(asked.faults) or [""]
    controls = check_controls(asked.controls)
    _check(asked, faults, controls)
    check_stand(asked.options.model, asked.options.device, asked.options.toxiproxy)
    jobs, chosen = check_jobs(asked.jobs), choose_costs(asked.costs or "auto")
    cells = {preset: [Cell(preset, fault) for fault in faults] for preset in presets}

    def run_of(cell: Cell) -> VirtualRun:
        return _virtual(asked, cell, chosen.costs)

    for cell in chain(*cells.values()):  # refuses before anything starts
        run_of(cell).resized()
    if asked.engine == "torch":
        refuse_leftovers()
    folder, codes = new_folder(asked.out), []
    rounds = _rounds(asked, run_of, folder, jobs)
    with folder_lock(folder), interruptible():
        for cell in chain(*cells.values()):  # nothing of an earlier job may be taken for this one's
            _file(folder, cell).unlink(missing_ok=True)
        for preset, group in cells.items():
            pairs = rounds.run(group, 0, asked.pairs)
            make_folder(folder / file_name(preset))
            codes += [_judged(cell, pairs[cell], asked, rounds, _file(folder, cell)) for cell in group]
    say(PipeConsole(), f"files: {folder}/")
    return worst(*codes)


def _check(asked: Asked, faults: Sequence[str], controls: Sequence[Arm]) -> None:
    if asked.engine == "virtual":
        check_virtual(asked.options.model, asked.options.device, asked.options.toxiproxy)
    else:
        check_real(asked.engine, asked.fleet, {"--costs": asked.costs, "--jobs": asked.jobs})
    if asked.seeds is not None:
        raise BadInput("--seeds: each pair has its own seed, from --seed on. Leave it out")
    if not FEWEST <= asked.pairs <= MOST_PAIRS:
        why = f"{FEWEST - 1} pairs give an error of {smallest_error(FEWEST - 1):.1%}"
        raise BadInput(f"--pairs must be {FEWEST} to {MOST_PAIRS}, got {asked.pairs}: {why}")
    for fault in faults:
        for arm in controls:
            in_arm(with_fault(find_scenario(asked.scenario), fault), arm)


def _virtual(asked: Asked, cell: Cell, costs: Costs) -> VirtualRun:
    return VirtualRun(
        scenario=asked.scenario,
        preset=cell.policy,
        seed=asked.seed,
        costs=costs,
        fleet=asked.fleet,
        fault=cell.fault,
    )


def _file(folder: Path, cell: Cell) -> Path:
    """Of the result of a cell, beside the runs of its policy."""
    return folder / file_name(cell.policy) / (f"cell.{file_name(cell.fault)}.json" if cell.fault else CELL)


def _judged(cell: Cell, pairs: Sequence[PairResult], asked: Asked, rounds: Rounds, file: Path) -> ExitCode:
    found = judge_cell(pairs, ERROR)
    write_text(file, found.to_json() + "\n")
    controls, score, dead = check_controls(asked.controls), None, ""
    sound = sound_pairs(pairs)
    if Arm.REMOVED in controls and sound:
        score = score_of(cell, sound, asked.seed, rounds, ERROR)
    if Arm.DEAD in controls and sound:
        hits = spread_if_dead(cell, sound, asked.seed, rounds)
        dead = f"spread in {hits.hits} of {hits.of} runs with the worker dead instead of slow"
    for line in pair_lines(found, score, dead):
        PipeConsole().print(line, soft_wrap=True)
    clean = all(pair.fault.clean and pair.control.clean for pair in pairs)
    return code_of(found.verdict) if clean else ExitCode.UNCLEAN


def _rounds(asked: Asked, run_of: Callable[[Cell], VirtualRun], folder: Path, jobs: int) -> Rounds:
    if asked.engine == "virtual":
        errors = PipeConsole(stderr=True)
        return VirtualRounds(run_of=run_of, folder=folder, jobs=jobs, told=lambda words: say(errors, words))
    scenario = find_scenario(asked.scenario)
    return RealRounds(
        plan_of=lambda cell: Planned(with_fault(scenario, cell.fault), find_preset(cell.policy)),
        seed=asked.seed,
        options=asked.options,
        folder=folder,
    )
