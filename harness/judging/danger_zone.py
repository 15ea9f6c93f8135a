"""The danger zone: the band of slow factors in which contained turns into spread. Cells in, zone out.

Near its edges chance decides and a run is either one or the other, so cells are counted and never averaged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import sqrt

NARROWEST = 1.02  # two factors closer than this are not worth a further run between them


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How the seeds of one cell came out; those that are neither are inconclusive, or have not run yet."""

    contained: int = 0
    spread: int = 0
    seeds: int

    @property
    def decided(self) -> int:
        return self.contained + self.spread

    @property
    def all_contained(self) -> bool:
        return self.contained == self.seeds

    @property
    def all_spread(self) -> bool:
        return self.spread == self.seeds

    @property
    def torn(self) -> bool:
        """The same cell went both ways: chance decides."""
        return self.contained > 0 and self.spread > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """Where contained turns into spread, along the slow factor at one load. Factors, ascending.

    Attributes:
        contained_to: widest factor up to which every decided cell was contained in all seeds.
        spread_from: factor from which on every decided cell spread in all seeds.
        torn: those at which seeds disagree.
        again: contained in all seeds although a milder one spread.
        between: spread in all seeds although a wider one did not; only where `again` is not empty.
        least, most: of the factors at which any seed was decided; None if there is none.
        first_spread: mildest factor at which any seed spread.
        undecided: runs that are inconclusive or have not been done.
    """

    contained_to: float | None = None
    spread_from: float | None = None
    torn: tuple[float, ...] = ()
    again: tuple[float, ...] = ()
    between: tuple[float, ...] = ()
    least: float | None = None
    most: float | None = None
    first_spread: float | None = None
    undecided: int = 0


def find_zone(cells: Mapping[float, Split]) -> Zone:
    """The zone of one load from the cells by factor. Cells without any decided seed say nothing."""
    decided = _decided(cells)
    undecided = sum(split.seeds - split.decided for split in cells.values())
    if not decided:
        return Zone(undecided=undecided)
    first_spread = next((factor for factor, split in decided if split.spread), None)
    again = tuple(f for f, c in decided if c.all_contained and first_spread is not None and f > first_spread)
    return Zone(
        contained_to=_last([f for f, _ in takewhile(lambda cell: cell[1].all_contained, decided)]),
        spread_from=_last([f for f, _ in takewhile(lambda cell: cell[1].all_spread, reversed(decided))]),
        torn=tuple(factor for factor, split in decided if split.torn),
        again=again,
        between=tuple(f for f, c in decided if again and c.all_spread and f < again[-1]),
        least=decided[0][0],
        most=decided[-1][0],
        first_spread=first_spread,
        undecided=undecided,
    )


def next_factor(cells: Mapping[float, Split]) -> float | None:
    """The factor to run next so that the zone gets narrower; None if there is no zone, or none is left.

    It halves (by ratio) the widest step between neighbours that came out differently.
    """
    steps = [(high / low, low, high) for low, high in _edges(_decided(cells))]
    ratio, low, high = max(steps, default=(1.0, 1.0, 1.0))
    middle = float(f"{sqrt(low * high):.3g}")
    return middle if ratio > NARROWEST and low < middle < high else None


def _edges(decided: list[tuple[float, Split]]) -> list[tuple[float, float]]:
    return [(low, high) for (low, a), (high, b) in pairwise(decided) if _kind(a) != _kind(b)]


def _kind(split: Split) -> str:
    return "torn" if split.torn else "spread" if split.spread else "contained"


def _last(factors: list[float]) -> float | None:
    return factors[-1] if factors else None


def _decided(cells: Mapping[float, Split]) -> list[tuple[float, Split]]:
    return [(factor, cells[factor]) for factor in sorted(cells) if cells[factor].decided]
