"""`limplock sweep`: where contained turns into spread, over load, slow factor and number of slow workers."""

import shutil
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from harness.config import COMPARED, find_presets, find_scenario
from harness.errors import EnvironmentFault
from harness.exit_codes import ExitCode
from harness.fault_text import find_faults
from harness.interrupts import Interrupted, Terminated, interruptible
from harness.judging.danger_zone import next_factor
from harness.judging.result import Verdict
from harness.judging.swept import Axes, Cell, by_factor, count, swept
from harness.many_runs import check_jobs, conduct_all
from harness.reporting.console import PipeConsole, say
from harness.reporting.sweep import render_sweep
from harness.reporting.tally import Tally, tally
from harness.results import new_folder
from harness.serving.cost_store import choose_costs
from harness.sweeping.plan import Plan
from harness.sweeping.store import ROWS, Store, open_store
from harness.sweeping.values import numbers, whole_numbers

LOADS, FACTORS = "0.3,0.5,0.7", "1.5,2,3,5,10"
RUNS = ".runs"  # histories until they are judged
KEPT = "runs"  # with --keep
Run = tuple[Cell, int]  # and its seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says; None is the default."""

    presets: tuple[str, ...] = ()
    load: str | None = None
    factor: str | None = None
    slow: str | None = None
    workers: int | None = None
    max_queue: int | None = None
    seeds: int = 3
    seed: int = 1
    costs: str = "auto"
    fault: str | None = None


def run_sweep(
    scenario: str, asked: Asked, refine: int, jobs: int | None, out: Path | None, keep: bool
) -> ExitCode:
    """INCONCLUSIVE only if every run is: a sweep measures, and judges nothing."""
    plan, origin = _plan(scenario, asked)
    plan.check(refine)
    jobs = check_jobs(jobs)
    folder = new_folder(out)
    console = PipeConsole()
    with open_store(folder, plan) as store, interruptible():
        _announce(console, plan, store, refine, jobs, origin)
        try:
            _Sweep(plan, store, folder, jobs, keep).conduct(refine)
        except (Interrupted, Terminated, EnvironmentFault) as stopped:
            _show(console, plan, store, folder)
            again = plan.command(str(folder), asked.costs, refine)
            raise type(stopped)(f"{stopped}; {len(store.rows)} runs are kept. Go on: {again}") from stopped
        _show(console, plan, store, folder)
        undecided = all(row.verdict is Verdict.INCONCLUSIVE for row in store.rows)
    return ExitCode.INCONCLUSIVE if undecided else ExitCode.PASS


def _plan(scenario: str, asked: Asked) -> tuple[Plan, str]:
    found = find_scenario(scenario)
    axes = Axes(
        presets=tuple(preset.name for preset in find_presets(asked.presets or COMPARED)),
        loads=numbers("--load", _given(asked.load, LOADS), LOADS),
        factors=numbers("--factor", _given(asked.factor, FACTORS), "1.5,2,3"),
        slow=whole_numbers("--slow", _given(asked.slow, str(len(found.faulted_workers))), "1,2,4"),
        first_seed=asked.seed,
        seeds=asked.seeds,
    )
    chosen = choose_costs(asked.costs)
    plan = Plan(
        scenario=scenario,
        axes=axes,
        workers=asked.workers,
        max_queue=asked.max_queue,
        costs=chosen.costs,
        fault=next(iter(find_faults([] if asked.fault is None else [asked.fault])), ""),
    )
    return plan, chosen.origin


def _given(text: str | None, default: str) -> str:
    """An empty list is one that was given, and is refused."""
    return default if text is None else text


class _Sweep:
    """Conducts what is not in the store yet."""

    def __init__(self, plan: Plan, store: Store, folder: Path, jobs: int, keep: bool) -> None:
        self._plan, self._store, self._jobs, self._keep = plan, store, jobs, keep
        self._temporary = folder / RUNS
        self._runs = folder / KEPT if keep else self._temporary

    def conduct(self, refine: int) -> None:
        """The grid, then every zone halved `refine` times."""
        grid, seeds = list(self._plan.cells()), self._plan.axes.seeds
        try:
            with tally(self._plan.most_runs(refine), len(self._store.rows)) as told:
                self._conduct(grid, told)
                for left in range(refine - 1, -1, -1):
                    between = list(self._between(grid))
                    told.expect((len(grid) + len(between) * (1 + left)) * seeds)
                    self._conduct(between, told)
                    grid += between
        finally:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _between(self, cells: Iterable[Cell]) -> Iterable[Cell]:
        """The next cell of each zone, by what came out of `cells`: the same whenever it is asked."""
        known = set(cells)
        splits = count((row for row in self._store.rows if row.cell in known), self._plan.axes.seeds)
        lines = dict.fromkeys((cell.preset, cell.slow, cell.load) for cell in self._plan.cells())
        for preset, slow, load in lines:
            factor = next_factor(by_factor(splits, preset, slow, load))
            if factor is not None:
                yield Cell(preset, slow, load, factor)

    def _conduct(self, cells: Iterable[Cell], told: Tally) -> None:
        done = {(row.cell, row.seed) for row in self._store.rows}
        todo = [(cell, seed) for cell in cells for seed in self._plan.seeds() if (cell, seed) not in done]
        places = [(self._plan.run(cell, seed), self._runs / _name(cell, seed)) for cell, seed in todo]
        if not places:
            return
        with closing(conduct_all(places, self._jobs)) as conducted:
            for index, result in conducted:
                cell, seed = todo[index]
                self._store.add(swept(cell, seed, result))
                if not self._keep:
                    shutil.rmtree(places[index][1])
                told.advance(f"{cell.preset}, {cell.words}")


def _name(cell: Cell, seed: int) -> str:
    return f"{cell.preset}.load{cell.load:g}.x{cell.factor:g}.slow{cell.slow}.seed{seed}"


def _announce(console: Console, plan: Plan, store: Store, refine: int, jobs: int, origin: str) -> None:
    """One line on what will happen, before it does."""
    axes = plan.axes
    runs = axes.cells * axes.seeds
    more = f", up to {plan.most_runs(refine) - runs:,} more to narrow the zones" if refine else ""
    known = f"; {len(store.rows):,} are there already" if store.rows else ""
    say(console, f"virtual: {runs:,} runs{more}, {jobs} at once; costs {origin}{known}")


def _show(console: Console, plan: Plan, store: Store, folder: Path) -> None:
    console.print()
    console.print(render_sweep(plan.title, plan.pool, plan.axes, store.rows))
    console.print()
    say(console, f"every run with its replay token: {folder / ROWS}")
