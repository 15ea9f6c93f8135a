"""What `limplock run --engine virtual` and `limplock replay` do, once the command line is read."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import TaskID

from harness.config import find_preset, find_presets, find_scenario
from harness.errors import BadInput
from harness.exit_codes import ExitCode
from harness.fleet import Fleet
from harness.interrupts import interruptible
from harness.judging.result import RunResult
from harness.many_runs import check_jobs, conduct_all
from harness.replay import compare, find_result
from harness.reporting.bar import progress_bar
from harness.reporting.console import PipeConsole
from harness.reporting.seeds import render_seeds
from harness.reporting.terminal import render_comparison
from harness.results import new_folder, run_folder
from harness.serving.cost_store import choose_costs
from harness.verdict_codes import exit_code
from harness.virtual_run import VirtualRun

MOST_SEEDS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Virtual:
    """What the command line says of virtual runs."""

    costs: str = "auto"
    seeds: int = 1
    jobs: int | None = None
    fleet: Fleet = field(default_factory=Fleet)


def check_virtual(real_only: Mapping[str, bool]) -> None:
    """BadInput for options that only real runs have: whether each was given."""
    if given := [name for name, was in real_only.items() if was]:
        raise BadInput(f"{', '.join(given)}: for real runs only. Leave out --engine virtual, or take --costs")


def run_virtually(
    scenario: str, policies: Sequence[str], seed: int, out: Path | None, virtual: Virtual
) -> ExitCode:
    """Every preset with every seed. The worst verdict is the exit code."""
    presets = [preset.name for preset in find_presets(policies)]
    if not 1 <= virtual.seeds <= MOST_SEEDS:
        raise BadInput(f"--seeds must be 1 to {MOST_SEEDS}, got {virtual.seeds}")
    jobs = check_jobs(virtual.jobs)
    find_scenario(scenario)
    chosen = choose_costs(virtual.costs)
    runs = [
        VirtualRun(scenario=scenario, preset=preset, seed=number, costs=chosen.costs, fleet=virtual.fleet)
        for preset in presets
        for number in range(seed, seed + virtual.seeds)
    ]
    runs[0].resized()  # refuses before anything is started
    folder = new_folder(out)
    console = PipeConsole()
    _say(console, f"virtual: costs {chosen.origin}")
    for run in runs[:: virtual.seeds]:
        more = f" (first of {virtual.seeds} seeds)" if virtual.seeds > 1 else ""
        _say(console, f"replay:  limplock replay {run.token()}{more}")
    results = _conduct(runs, folder, jobs, several=virtual.seeds > 1)
    if virtual.seeds > 1:
        console.print(render_seeds(results))
    else:
        console.print(render_comparison(results))
    _say(console, f"files: {folder}/")
    return exit_code(results)


def run_replay(token: str, out: Path | None, against: Path | None) -> ExitCode:
    """PASS if the history is the same to the byte, FAIL if it is not; without one to compare, PASS."""
    run = VirtualRun.of(token)
    run.resized()
    find_preset(run.preset)
    known = find_result(run.token(), against)
    folder = new_folder(out)
    where = run_folder(folder, run.scenario, run.preset)
    with interruptible():
        result = run.conduct(where)
    console = PipeConsole()
    console.print(render_comparison([result]))
    same, words = compare(where, result, known)
    _say(console, words)
    _say(console, f"files: {folder}/")
    return ExitCode.PASS if same else ExitCode.FAIL


def _conduct(runs: Sequence[VirtualRun], folder: Path, jobs: int, *, several: bool) -> list[RunResult]:
    """The results in the order of `runs`."""
    places = [(run, _folder(folder, run, several)) for run in runs]
    found: dict[int, RunResult] = {}
    with interruptible(), progress_bar() as bar, closing(conduct_all(places, jobs)) as conducted:
        task = bar.add_task("runs", total=len(runs))
        for index, result in conducted:
            found[index] = result
            _advance(bar, task, result)
    return [found[index] for index in range(len(runs))]


def _folder(folder: Path, run: VirtualRun, several: bool) -> Path:
    preset = f"{run.preset}.{run.seed}" if several else run.preset
    return run_folder(folder, run.scenario, preset)


def _advance(bar: Bar, task: TaskID, result: RunResult) -> None:
    bar.update(task, advance=1, description=f"{result.setting.scenario} x {result.setting.preset}")


def _say(console: Console, line: str) -> None:
    console.print(line, soft_wrap=True, highlight=False, markup=False)
