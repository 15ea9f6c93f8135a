"""What `limplock run --engine virtual` and `limplock replay` do, once the command line is read."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from harness.capacity import offered
from harness.config import find_preset, find_presets, find_scenario, stacking
from harness.errors import BadInput
from harness.exit_codes import ExitCode
from harness.fault_text import NOT_AS_STATED, find_faults
from harness.fleet import Fleet
from harness.interrupts import interruptible
from harness.judging.result import RunResult
from harness.many_runs import check_jobs, conduct_all
from harness.replay import find_result, same_history
from harness.reporting.console import PipeConsole, say
from harness.reporting.seeds import alike, odd_ones, render_seeds
from harness.reporting.tally import tally
from harness.reporting.terminal import render_comparison
from harness.reporting.virtual_time import virtual_time
from harness.results import new_folder, run_folder
from harness.serving.cost_store import choose_costs
from harness.verdict_codes import exit_code
from harness.virtual_run import VirtualRun

MOST_SEEDS = 10_000
WORTH_PROCESSES = 20_000  # requests of a run; below, processes take longer to start than the run itself

Place = tuple[VirtualRun, Path]  # a run and the folder of its files


@dataclass(frozen=True, slots=True, kw_only=True)
class Virtual:
    """What the command line says of virtual runs."""

    costs: str = "auto"
    seeds: int = 1
    jobs: int | None = None
    fleet: Fleet = field(default_factory=Fleet)
    faults: Sequence[str] = ()


def check_virtual(model: str, device: str, toxiproxy: str) -> None:
    """BadInput for options that only real runs have."""
    usual = {"--toxiproxy": (toxiproxy, "auto"), "--model": (model, "tiny"), "--device": (device, "auto")}
    if given := [name for name, (value, default) in usual.items() if value != default]:
        raise BadInput(f"{', '.join(given)}: for real runs only. Leave it out, or --engine torch")


def run_virtually(
    scenario: str, policies: Sequence[str], seed: int, out: Path | None, virtual: Virtual
) -> ExitCode:
    """Every preset with every seed. The worst verdict is the exit code."""
    presets = find_presets(policies)
    if not 1 <= virtual.seeds <= MOST_SEEDS:
        raise BadInput(f"--seeds must be 1 to {MOST_SEEDS}, got {virtual.seeds}")
    jobs = check_jobs(virtual.jobs)
    find_scenario(scenario)
    chosen = choose_costs(virtual.costs)
    runs = [
        VirtualRun(
            scenario=scenario,
            preset=preset.name,
            seed=number,
            costs=chosen.costs,
            fleet=virtual.fleet,
            fault=fault,
        )
        for preset in presets
        for fault in find_faults(virtual.faults) or [""]
        for number in range(seed, seed + virtual.seeds)
    ]
    requests = max(offered(run.resized()) for run in runs[:: virtual.seeds])  # refuses before anything starts
    folder = new_folder(out)
    console = PipeConsole()
    say(console, f"virtual: costs {chosen.origin}")
    if not chosen.costs.padded:
        say(
            console,
            "note:    load and presets are sized for steps of 30 ms, these costs have faster ones:"
            " give --load, and expect timeouts and breakers to react late",
        )
    for note in filter(None, map(stacking, presets)):
        say(console, f"note:    {note}")
    if virtual.faults:
        say(console, f"note:    {NOT_AS_STATED}")
    for run in runs[:: virtual.seeds]:
        more = f" (first of {virtual.seeds} seeds)" if virtual.seeds > 1 else ""
        say(console, f"replay:  limplock replay {run.token()}{more}")
    places = [(run, _folder(folder, run, several=virtual.seeds > 1)) for run in runs]
    together = virtual.seeds > 1 or (len(runs) > 1 and requests > WORTH_PROCESSES)
    results = _conduct_many(places, jobs) if together else _conduct_few(places)
    console.print(render_seeds(results) if virtual.seeds > 1 else render_comparison(results))
    if virtual.seeds > 1:
        for odd in odd_ones(alike(results)):
            say(console, f"odd one, seed {odd.setting.seed}: limplock replay {odd.replay}")
    say(console, f"files: {folder}/")
    return exit_code(results)


def run_replay(token: str, out: Path | None, against: Path | None) -> ExitCode:
    """PASS if the history is the same to the byte, FAIL if it is not; without one to compare, PASS."""
    run = VirtualRun.of(token)
    run.resized()
    find_preset(run.preset)
    known = find_result(run, against)
    folder = new_folder(out)
    where = run_folder(folder, run.scenario, run.preset, run.fault)
    with interruptible():
        result = _conduct_one(run, where)
    console = PipeConsole()
    console.print(render_comparison([result]))
    same, words = same_history(where, result, known)
    say(console, words)
    say(console, f"files: {folder}/")
    return ExitCode.PASS if same else ExitCode.FAIL


def _folder(folder: Path, run: VirtualRun, *, several: bool) -> Path:
    preset = f"{run.preset}.{run.seed}" if several else run.preset
    return run_folder(folder, run.scenario, preset, run.fault)


def _conduct_many(places: Sequence[Place], jobs: int) -> list[RunResult]:
    """The results in the order of `places`."""
    found: dict[int, RunResult] = {}
    with interruptible(), tally(len(places)) as told, closing(conduct_all(places, jobs)) as conducted:
        for index, result in conducted:
            found[index] = result
            told.advance(f"{result.setting.scenario} x {result.setting.preset}")
    return [found[index] for index in range(len(places))]


def _conduct_few(places: Sequence[Place]) -> list[RunResult]:
    """One after another, each with its own time to watch."""
    with interruptible():
        return [_conduct_one(run, folder) for run, folder in places]


def _conduct_one(run: VirtualRun, folder: Path) -> RunResult:
    with virtual_time(run.title, run.resized().phases.load_s) as progress:
        return run.conduct(folder, progress)
