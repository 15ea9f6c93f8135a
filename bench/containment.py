"""Pipelines on the same faults with the same seeds: which contain them, and what that costs their callers.

This is where the preset `contain` comes from: each row leaves one part of it out, or is what else is in use.
"""

import multiprocessing
import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.report import Figure, Section
from harness.fleet import Fleet
from harness.judging.result import RunResult, Verdict
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun
from policies.presets import PRESETS
from policies.presets.contain import TEXT

FACTORS = (2, 3, 5, 10, 20)
LOADS = (0.5, 0.65)  # with the worker out three are left, which then have two thirds and seven eighths to do
SEEDS = 5
# What proxies and client libraries of today can be set to, with bounds sized for this pool.
DEPLOYABLE = "timeout(ttft=1, attempt=2) | outlier_errors() | least_request(2)"
ADDED = ("outlier_errors()", "adaptive_timeout()", "bulkhead(auto=3, min_in_flight=4)")


@dataclass(frozen=True, slots=True)
class Fault:
    """A scenario, and what differs from it."""

    scenario: str
    fleet: Fleet = field(default_factory=Fleet)

    @property
    def words(self) -> str:
        fleet = self.fleet
        parts = [] if fleet.factor is None else [f"x{fleet.factor:g}"]
        parts += [] if fleet.slow is None else [f"{fleet.slow} slow"]
        parts += [] if fleet.load is None else [f"load {fleet.load:g}"]
        return " ".join(parts) or self.scenario


FAULTS = (
    *(Fault("slow_worker", Fleet(factor=factor)) for factor in FACTORS),
    *(Fault("slow_worker", Fleet(factor=10, load=load)) for load in LOADS),
    Fault("slow_worker", Fleet(factor=10, slow=2)),
    Fault("slow_link"),
    Fault("dead_worker"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """What the seeds of one pipeline and one fault came to."""

    failed: int  # seeds that ended in FAIL
    undecided: int  # in INCONCLUSIVE
    good: float | None  # share of the requests of callers that can reach the worker, during the fault
    bystanders: float | None  # the same of those that cannot
    attempts: float  # for each request offered
    detected_s: float | None  # from the fault until a gate said something of the worker


def measure(
    pipelines: Mapping[str, str] | None = None, faults: Sequence[Fault] = FAULTS, seeds: int = SEEDS
) -> Section:
    """`pipelines`: preset or text by the name to show; all presets and more by default."""
    chosen = pipelines if pipelines is not None else _all_pipelines()
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
        how=f"{seeds} seeds; median share of good answers during the fault, of callers that can reach"
        " the worker / that cannot; then when a gate found it; seeds that spread, or are undecided (?)",
        figures=tuple(
            Figure(name=f"{name}: seeds that spread", value=sum(rows[name, f].failed for f in faults))
            for name in chosen
        ),
        notes=tuple(_table(chosen, faults, rows)),
    )


def _all_pipelines() -> dict[str, str]:
    return {name: name for name in PRESETS} | without_parts() | with_more() | {"deployable": DEPLOYABLE}


def without_parts() -> dict[str, str]:
    """The preset `contain` without one of its policies at a time, by name."""
    parts = TEXT.split(" | ")
    return {
        f"contain without {part.split('(')[0]}": " | ".join(other for other in parts if other != part)
        for part in parts
    }


def with_more() -> dict[str, str]:
    """The preset `contain` with what it does not have, by name."""
    *before, picker = TEXT.split(" | ")
    more = {f"contain with {policy}": " | ".join([*before, policy, picker]) for policy in ADDED}
    return more | {"contain with hedge() for retry": " | ".join(_hedging(part) for part in TEXT.split(" | "))}


def _hedging(part: str) -> str:
    return "hedge()" if part.startswith("retry(") else part


def _conduct(job: tuple[str, Fault, int]) -> RunResult:
    text, fault, seed = job
    run = VirtualRun(scenario=fault.scenario, preset=text, seed=seed, costs=TINY_CPU, fleet=fault.fleet)
    with tempfile.TemporaryDirectory() as folder:
        return run.conduct(Path(folder))


def _row(results: Sequence[RunResult]) -> Row:
    return Row(
        failed=sum(result.verdict is Verdict.FAIL for result in results),
        undecided=sum(result.verdict is Verdict.INCONCLUSIVE for result in results),
        good=_median(results, "touched_goodput_ratio"),
        bystanders=_median(results, "bystander_goodput_ratio"),
        attempts=_median(results, "load_amplification") or 0.0,
        detected_s=_median(results, "detection_s"),
    )


def _median(results: Sequence[RunResult], name: str) -> float | None:
    """None unless most of the runs have the figure."""
    values = [value for result in results if (value := result.metrics[name].during) is not None]
    return median(values) if 2 * len(values) > len(results) else None


def _table(
    pipelines: Mapping[str, str], faults: Sequence[Fault], rows: Mapping[tuple[str, Fault], Row]
) -> list[str]:
    """Markdown, as docs/policies/presets.md has it."""
    heads = ["", *(fault.words for fault in faults), "attempts"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for name in pipelines:
        cells = [_cell(rows[name, fault]) for fault in faults]
        most = max(rows[name, fault].attempts for fault in faults)
        lines.append(_line([name, *cells, f"{most:.2f}"]))
    return lines


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(row: Row) -> str:
    """`99.1/100 2.5s`: good in percent, and when it was detected; with the seeds that did not pass."""
    good = "/".join("-" if share is None else f"{share * 100:.3g}" for share in (row.good, row.bystanders))
    words = [good]
    words += [f"{row.detected_s:.1f}s"] if row.detected_s is not None else []
    words += [f"**{row.failed} spread**"] if row.failed else []
    words += [f"{row.undecided}?"] if row.undecided else []
    return " ".join(words)
