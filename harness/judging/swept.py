"""What a sweep keeps of each of its runs: one line, enough to draw every table again."""

from collections import Counter
from collections.abc import Iterable
from math import isfinite
from typing import Literal

import msgspec

from harness.judging.danger_zone import Counts
from harness.judging.result import RunResult, Verdict

Number = float | Literal["Infinity"] | None  # as in result.json: null is no figure


class Cell(msgspec.Struct, frozen=True, order=True):
    """A place in the grid; each of its seeds is a run. `load`: share of the healthy capacity."""

    policy: str
    slow: int
    load: float
    factor: float

    @property
    def words(self) -> str:
        return f"load {self.load:g}, factor {self.factor:g}, {self.slow} slow"


class Axes(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a sweep goes through: policies in the order asked for, numbers ascending."""

    policies: tuple[str, ...]
    loads: tuple[float, ...]
    factors: tuple[float, ...]
    slow: tuple[int, ...]
    first_seed: int
    seeds: int

    @property
    def cells(self) -> int:
        return len(self.policies) * len(self.loads) * len(self.factors) * len(self.slow)


class Swept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One judged run in brief. Ratios and seconds are those of the fault phase."""

    cell: Cell
    seed: int
    verdict: Verdict
    headline: str
    rho: float | None  # of one faulted worker, measured before the fault
    must_fill: bool | None  # what the law says of the slots without a policy
    law_applies: bool  # to this policy
    contradicted: str  # how the run contradicts its law
    bystander_goodput_ratio: Number
    touched_goodput_ratio: Number
    bystander_latency_s: Number  # median of the bystander that waits longest
    slots_gone_after_s: Number
    replay: str
    digest: str


def swept(cell: Cell, seed: int, result: RunResult) -> Swept:
    """The line of `result`."""
    return Swept(
        cell=cell,
        seed=seed,
        verdict=result.verdict,
        headline=result.headline,
        rho=result.law.rho,
        must_fill=result.law.must_fill,
        law_applies=result.law.applies,
        contradicted=result.law.contradicted,
        bystander_goodput_ratio=_during(result, "bystander_goodput_ratio"),
        touched_goodput_ratio=_during(result, "touched_goodput_ratio"),
        bystander_latency_s=_worst_latency_s(result),
        slots_gone_after_s=_number(result.law.measured_s),
        replay=result.replay,
        digest=result.digest,
    )


def count(rows: Iterable[Swept], seeds: int) -> dict[Cell, Counts]:
    """The counts of every cell of which at least one run is there."""
    verdicts: dict[Cell, Counter[Verdict]] = {}
    for row in rows:
        verdicts.setdefault(row.cell, Counter())[row.verdict] += 1
    return {
        cell: Counts(contained=found[Verdict.PASS], spread=found[Verdict.FAIL], seeds=seeds)
        for cell, found in verdicts.items()
    }


def by_factor(cells: dict[Cell, Counts], policy: str, slow: int, load: float) -> dict[float, Counts]:
    """The cells along the slow factor."""
    return {
        cell.factor: counts
        for cell, counts in cells.items()
        if (cell.policy, cell.slow, cell.load) == (policy, slow, load)
    }


def _during(result: RunResult, metric: str) -> Number:
    return _number(result.metrics[metric].during) if metric in result.metrics else None


def _worst_latency_s(result: RunResult) -> Number:
    trends = [caller.metrics.get("e2e_s.p50_all") for caller in result.callers if caller.bystander]
    return _number(max((t.during for t in trends if t is not None and t.during is not None), default=None))


def _number(value: float | None) -> Number:
    """JSON knows no infinity."""
    return value if value is None or isfinite(value) else "Infinity"
