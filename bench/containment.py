"""Pipelines on the same faults with the same seeds: which contain them, and what that costs their callers.

This is where the preset `contain` comes from: each row leaves one part of it out, or is what else is in use.
"""

import multiprocessing
import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.report import Figure, Section
from harness.fleet import Fleet
from harness.judging.result import RunResult, Verdict
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun
from policies.presets import PRESETS

FACTORS = (2, 3, 5, 10, 20)
SEEDS = 5
CONTAIN = "contain"


@dataclass(frozen=True, slots=True)
class Fault:
    """A scenario, and the factor of its fault where it has one."""

    scenario: str
    factor: float | None = None

    @property
    def words(self) -> str:
        return self.scenario if self.factor is None else f"x{self.factor:g}"


FAULTS = (*(Fault("slow_worker", factor) for factor in FACTORS), Fault("slow_link"), Fault("dead_worker"))


@dataclass(frozen=True, slots=True)
class Row:
    """What the seeds of one pipeline and one fault came to."""

    spread: int  # seeds that did not end in PASS
    good: float  # share of the requests of callers that can reach the worker, during the fault
    bystanders: float  # the same of those that cannot
    attempts: float  # for each request offered


def measure(
    pipelines: Mapping[str, str] | None = None, faults: Sequence[Fault] = FAULTS, seeds: int = SEEDS
) -> Section:
    """`pipelines`: preset or text by the name to show; all presets by default."""
    chosen = pipelines if pipelines is not None else {name: name for name in PRESETS}
    jobs = [
        (text, fault, seed) for text in chosen.values() for fault in faults for seed in range(1, seeds + 1)
    ]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as processes:
        results = dict(zip(jobs, processes.map(_conduct, jobs, chunksize=2), strict=True))
    rows = {
        (name, fault): _row([results[text, fault, seed] for seed in range(1, seeds + 1)])
        for name, text in chosen.items()
        for fault in faults
    }
    return Section(
        title="containment: pipelines on the same faults, virtual, default load",
        how=f"{seeds} seeds; good: median share of good answers during the fault, of callers that can reach"
        " the worker / that cannot; spread: seeds that did not pass",
        figures=tuple(
            Figure(name=f"{name}: seeds that spread", value=sum(rows[name, f].spread for f in faults))
            for name in chosen
        ),
        notes=tuple(_table(chosen, faults, rows)),
    )


def _conduct(job: tuple[str, Fault, int]) -> RunResult:
    text, fault, seed = job
    fleet = Fleet(factor=fault.factor)
    run = VirtualRun(scenario=fault.scenario, preset=text, seed=seed, costs=TINY_CPU, fleet=fleet)
    with tempfile.TemporaryDirectory() as folder:
        return run.conduct(Path(folder))


def _row(results: Sequence[RunResult]) -> Row:
    return Row(
        spread=sum(result.verdict is not Verdict.PASS for result in results),
        good=_median(results, "touched_goodput_ratio"),
        bystanders=_median(results, "bystander_goodput_ratio"),
        attempts=_median(results, "load_amplification"),
    )


def _median(results: Sequence[RunResult], name: str) -> float:
    values = [result.metrics[name].during for result in results]
    return median(value for value in values if value is not None)


def _table(
    pipelines: Mapping[str, str], faults: Sequence[Fault], rows: Mapping[tuple[str, Fault], Row]
) -> list[str]:
    width = max(map(len, pipelines))
    lines = [" ".join([" " * width, *(f"{fault.words:>16}" for fault in faults), "attempts"])]
    for name in pipelines:
        cells = [_cell(rows[name, fault]) for fault in faults]
        most = max(rows[name, fault].attempts for fault in faults)
        lines.append(" ".join([f"{name:<{width}}", *(f"{cell:>16}" for cell in cells), f"{most:8.2f}"]))
    return lines


def _cell(row: Row) -> str:
    spread = f" spread {row.spread}" if row.spread else ""
    return f"{row.good:.0%}/{row.bystanders:.0%}{spread}"
