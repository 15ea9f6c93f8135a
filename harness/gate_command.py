"""What `limplock gate` does: read, plan, run, judge, tell. All is checked before anything is started."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.arms import Arm
from harness.config import check_name, check_stand, is_file
from harness.errors import Aborted, BadInput, LimplockError, unknown
from harness.exit_codes import ExitCode
from harness.folder_lock import folder_lock
from harness.gating.baseline import Stored, read_baseline
from harness.gating.budget import read_budget, read_noise, within
from harness.gating.conduct import Gate, result_of
from harness.gating.costs import costs_of, measured, to_be_measured
from harness.gating.gate_file import Baseline, Engine, GateFile
from harness.gating.github import tell_github
from harness.gating.other_arms import check_controls, check_spared, with_controls
from harness.gating.plan import Plan, plan_gate
from harness.gating.plan_words import load_words, plan_words
from harness.gating.problem import refuse
from harness.gating.provable import hopeless
from harness.gating.prove import prove
from harness.gating.reading import read_gate_file
from harness.gating.runs import rounds_of, virtual_run
from harness.interrupts import interruptible
from harness.judging.pairs.gate_result import GateResult
from harness.many_runs import check_jobs
from harness.real_deployment import Options
from harness.reporting.console import PipeConsole, say
from harness.reporting.gate import first_line, gate_lines
from harness.results import new_folder, write_text
from harness.serving.leftovers import refuse_leftovers
from harness.verdict_codes import code_of
from harness.virtual_commands import check_virtual

GATE, VERDICT = "gate.json", "verdict.txt"
ENGINES: tuple[Engine, ...] = ("torch", "virtual")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line says beside the file."""

    engine: str | None = None
    baseline: Path | None = None
    budget: str | None = None
    noise: str | None = None
    plan_only: bool = False
    proves: bool = False
    controls: str = ""
    costs: str = "auto"
    jobs: int | None = None
    out: Path | None = None
    options: Options


def run_gate(path: Path, wanted: Wanted) -> ExitCode:
    for name in (path, wanted.out, wanted.baseline):
        check_name(name)
    gate = _gate(path, wanted)
    _check_options(gate, wanted)
    check_stand(wanted.options.model, wanted.options.device, wanted.options.toxiproxy)
    controls = check_controls(wanted.controls)
    plan = _plan(gate, wanted)
    if wanted.baseline is not None and not plan.compares:
        raise BadInput("--baseline: no objective compares with it. Give one max_vs_baseline, or leave it out")
    check_spared(plan, controls)
    stored = _stored(plan)
    words = plan_words(plan, controls, proves=wanted.proves, stored=stored)
    if wanted.plan_only:
        _say_all(PipeConsole(), words)
        return ExitCode.PASS
    if plan.real:
        refuse_leftovers()
    folder = new_folder(wanted.out)
    errors = PipeConsole(stderr=True)
    with folder_lock(folder):
        _forget_earlier(folder, stored)
        _say_all(errors, words)
        try:
            with interruptible():
                result = _run(plan, wanted, stored, controls, folder, errors)
        except LimplockError as ended:
            write_text(folder / VERDICT, f"{_ending(ended)}  {ended}\n")
            raise
        return _tell(result, folder)


def _check_options(gate: GateFile, wanted: Wanted) -> None:
    """BadInput for those that would say nothing in virtual time."""
    given = wanted.options
    if gate.engine == "virtual":
        check_virtual(given.model, given.device, given.toxiproxy)


def _forget_earlier(folder: Path, stored: Stored | None) -> None:
    """No verdict of an earlier gate may be taken for this one's, however this one ends."""
    kept = stored.path.resolve() if stored is not None else None
    if (folder / GATE).resolve() == kept:
        raise BadInput(f"--out {folder} would replace the baseline, {kept}. Choose another folder")
    for name in (GATE, VERDICT):
        (folder / name).unlink(missing_ok=True)


def _gate(path: Path, wanted: Wanted) -> GateFile:
    engine = next((each for each in ENGINES if each == wanted.engine), None)
    if wanted.engine is not None and engine is None:
        raise unknown("engine", wanted.engine, ENGINES)
    if wanted.baseline is None:
        return read_gate_file(path, engine)
    if not is_file(wanted.baseline):
        raise BadInput(f"--baseline {wanted.baseline} is no file. Give the gate.json of an earlier gate")
    return read_gate_file(path, engine, Baseline(result=wanted.baseline))


def _plan(gate: GateFile, wanted: Wanted) -> Plan:
    chosen = costs_of(gate, wanted.costs, wanted.options)
    plan = plan_gate(
        gate,
        chosen,
        jobs=check_jobs(wanted.jobs),
        measures_capacity=to_be_measured(gate, chosen),
    )
    if wanted.noise is not None:
        plan = replace(plan, noise_ratio=read_noise(wanted.noise))
    if wanted.budget is not None:
        plan = within(plan, read_budget(wanted.budget))
    refuse(gate.path, hopeless(plan))
    return plan


def _stored(plan: Plan) -> Stored | None:
    if not plan.compares:
        return None
    runs = {cell.fault: None if plan.real else virtual_run(plan, cell) for cell in plan.candidate}
    return read_baseline(plan.gate, runs)


def _run(
    plan: Plan,
    wanted: Wanted,
    stored: Stored | None,
    controls: Sequence[Arm],
    folder: Path,
    errors: PipeConsole,
) -> GateResult:
    def told(words: str) -> None:
        say(errors, words)

    if plan.measures_capacity:
        chosen = measured(wanted.options)
        plan = replace(plan_gate(plan.gate, chosen, jobs=plan.jobs), looks=plan.looks)
    if wanted.proves:
        prove(plan, wanted.options, folder / "prove", told)
    rounds = rounds_of(plan, wanted.options, folder, lambda words: None)
    cells = Gate(plan=plan, rounds=rounds, stored=stored, told=told).cells()
    cells = with_controls(cells, plan, rounds, controls, told)
    result = result_of(plan, cells, load_words(plan), [])
    write_text(folder / GATE, result.to_json() + "\n")
    return result


def _tell(result: GateResult, folder: Path) -> ExitCode:
    code = code_of(result.verdict) if result.clean else ExitCode.UNCLEAN
    write_text(folder / VERDICT, first_line(result) + "\n")
    console = PipeConsole()
    for line in gate_lines(result):
        console.print(line, soft_wrap=True)
    say(console, f"files: {folder}/")
    for note in tell_github(result, code, folder):
        say(console, note)
    return code


def _ending(ended: LimplockError) -> str:
    if isinstance(ended, Aborted):
        return "ABORTED"
    return ended.exit_code.name


def _say_all(console: PipeConsole, words: Sequence[str]) -> None:
    for line in words:
        say(console, line)
