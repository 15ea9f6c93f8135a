"""What a sweep keeps of each of its runs: one line, enough to draw every table again."""

from collections import Counter
from collections.abc import Iterable
from math import isfinite
from typing import Literal

import msgspec

from harness.judging.brief import during, worst_latency_s
from harness.judging.danger_zone import Split
from harness.judging.result import RunResult, Verdict

Number = float | Literal["Infinity"] | None  # as in result.json: null is no figure


class Cell(msgspec.Struct, frozen=True, order=True):
    """A place in the grid; each of its seeds is a run. `load`: share of the healthy capacity."""

    preset: str
    slow: int
    load: float
    factor: float

    @property
    def words(self) -> str:
        return f"load {self.load:g}, factor {self.factor:g}, {self.slow} slow"


class Axes(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a sweep goes through: presets in the order asked for, numbers ascending."""

    presets: tuple[str, ...]
    loads: tuple[float, ...]
    factors: tuple[float, ...]
    slow: tuple[int, ...]
    first_seed: int
    seeds: int

    @property
    def cells(self) -> int:
        return len(self.presets) * len(self.loads) * len(self.factors) * len(self.slow)


class Swept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One judged run in brief. Ratios and seconds are those of the fault phase."""

    cell: Cell
    seed: int
    verdict: Verdict
    headline: str
    rho: float | None  # of one faulted worker, measured before the fault
    must_fill: bool | None  # what the law says of the slots without a policy
    law_applies: bool  # to this preset
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
        bystander_goodput_ratio=_number(during(result, "bystander_goodput_ratio")),
        touched_goodput_ratio=_number(during(result, "touched_goodput_ratio")),
        bystander_latency_s=_number(worst_latency_s(result)),
        slots_gone_after_s=_number(result.law.measured_s),
        replay=result.replay,
        digest=result.digest,
    )


def count(rows: Iterable[Swept], seeds: int) -> dict[Cell, Split]:
    """The counts of every cell of which at least one run is there."""
    verdicts: dict[Cell, Counter[Verdict]] = {}
    for row in rows:
        verdicts.setdefault(row.cell, Counter())[row.verdict] += 1
    return {
        cell: Split(contained=found[Verdict.PASS], spread=found[Verdict.FAIL], seeds=seeds)
        for cell, found in verdicts.items()
    }


def by_factor(cells: dict[Cell, Split], preset: str, slow: int, load: float) -> dict[float, Split]:
    """The cells along the slow factor."""
    return {
        cell.factor: split
        for cell, split in cells.items()
        if (cell.preset, cell.slow, cell.load) == (preset, slow, load)
    }


def _number(value: float | None) -> Number:
    """JSON knows no infinity."""
    return value if value is None or isfinite(value) else "Infinity"
