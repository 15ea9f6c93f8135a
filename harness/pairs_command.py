"""What `limplock run --pairs N` does: each preset under each fault in N pairs, judged together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from harness.arms import Arm, in_arm
from harness.commands import check_real
from harness.config import check_stand, find_preset, find_presets, find_scenario, make_folder
from harness.errors import BadInput
from harness.exit_codes import ExitCode, worst
from harness.experiment import Experiment
from harness.fault_text import find_faults, with_fault
from harness.fleet import Fleet
from harness.gating.other_arms import NO_POLICY, check_controls, spread_of
from harness.gating.written import MOST_PAIRS
from harness.interrupts import interruptible
from harness.judging.pairs.cell import judge_cell
from harness.judging.pairs.gate_verdict import sound_pairs
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.score import PolicyScore, policy_score
from harness.judging.pairs.signed_rank import smallest_error
from harness.many_runs import check_jobs
from harness.real_deployment import Options
from harness.real_experiment import RealExperiment
from harness.reporting.console import PipeConsole, say
from harness.reporting.pairs import pair_lines
from harness.results import file_name, new_folder, write_text
from harness.serving.cost_model import Costs
from harness.serving.cost_store import choose_costs
from harness.serving.leftovers import refuse_leftovers
from harness.suite import Planned
from harness.verdict_codes import code_of
from harness.virtual_commands import check_virtual
from harness.virtual_experiment import VirtualExperiment
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
    """The worst verdict of all cells. Each cell is written to `cell.json` in a folder of its own."""
    presets = [preset.name for preset in find_presets(asked.policies)]
    faults = find_faults(asked.faults) or [""]
    controls = check_controls(asked.controls)
    _check(asked, faults, controls)
    check_stand(asked.options.model, asked.options.device, asked.options.toxiproxy)
    jobs, chosen = check_jobs(asked.jobs), choose_costs(asked.costs or "auto")
    for preset in presets:  # refuses before anything starts
        for fault in faults:
            _virtual(asked, preset, fault, chosen.costs).resized()
    if asked.engine == "torch":
        refuse_leftovers()
    folder, codes = new_folder(asked.out), []
    with interruptible():
        for preset in presets:
            for fault in faults:
                where = make_folder(folder / ".".join(map(file_name, filter(None, (preset, fault)))))
                run = _virtual(asked, preset, fault, chosen.costs)
                codes.append(_cell(asked, run, where, controls, jobs))
    say(PipeConsole(), f"files: {folder}/")
    return worst(*codes)


def _check(asked: Asked, faults: Sequence[str], controls: Sequence[Arm]) -> None:
    if asked.engine == "virtual":
        check_virtual(
            {"--toxiproxy": asked.options.toxiproxy != "auto", "--device": asked.options.device != "auto"}
        )
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


def _virtual(asked: Asked, preset: str, fault: str, costs: Costs) -> VirtualRun:
    return VirtualRun(
        scenario=asked.scenario, preset=preset, seed=asked.seed, costs=costs, fleet=asked.fleet, fault=fault
    )


def _cell(asked: Asked, run: VirtualRun, where: Path, controls: Sequence[Arm], jobs: int) -> ExitCode:
    experiment = _experiment(asked, run, where, jobs)
    pairs = experiment.pairs(0, asked.pairs)
    cell = judge_cell(pairs, ERROR)
    write_text(where / CELL, cell.to_json() + "\n")
    score, dead = None, ""
    sound = sound_pairs(pairs)
    if Arm.REMOVED in controls and sound:
        bare = _experiment(asked, msgspec.structs.replace(run, preset=NO_POLICY), where / NO_POLICY, jobs)
        score = _score(sound, experiment, bare, asked.seed)
    if Arm.DEAD in controls and sound:
        runs = [experiment.alone(Arm.DEAD, pair.seed - asked.seed) for pair in sound]
        found = spread_of(runs)
        dead = f"spread in {found.hits} of {found.of} runs with the worker dead instead of slow"
    for line in pair_lines(cell, score, dead):
        PipeConsole().print(line, soft_wrap=True)
    clean = all(pair.fault.clean and pair.control.clean for pair in pairs)
    return code_of(cell.verdict) if clean else ExitCode.UNCLEAN


def _score(pairs: Sequence[PairResult], own: Experiment, bare: Experiment, seed: int) -> PolicyScore:
    numbers = [pair.seed - seed for pair in pairs]
    return policy_score(
        [pair.fault for pair in pairs],
        [bare.alone(Arm.FAULT, number) for number in numbers],
        [own.alone(Arm.REMOVED, number) for number in numbers],
        [pair.control for pair in pairs],
        ERROR,
    )


def _experiment(asked: Asked, run: VirtualRun, where: Path, jobs: int) -> Experiment:
    if asked.engine == "virtual":
        return VirtualExperiment(run=run, folder=where, jobs=jobs)
    scenario = with_fault(find_scenario(run.scenario), run.fault)
    return RealExperiment(
        planned=Planned(scenario, find_preset(run.preset)), seed=run.seed, options=asked.options, folder=where
    )
