"""One line of the table of theory: what a source says, what our code gave, and how far apart they may be."""

from dataclasses import dataclass
from math import inf

from harness.judging.wilson import interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`got` must lie in [low, high]. A row with a `finding` has no figures: our code cannot express it.

    Attributes:
        what: the setting and the quantity, with its unit.
        tolerance: the bounds in words, `2 %` or `at least`.
        finding: why there is nothing to compare; empty for a comparison.
    """

    id: str
    source: str
    what: str
    expected: float | None = None
    got: float | None = None
    low: float = -inf
    high: float = inf
    tolerance: str = ""
    finding: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing contradicts the source. A finding contradicts nothing, it only says so."""
        return bool(self.finding) or (self.got is not None and self.low <= self.got <= self.high)

    def __str__(self) -> str:
        if self.finding:
            return f"{self.id} finding  {self.what}: {self.finding}"
        sign = "ok " if self.ok else "OFF"
        asked = f"expected {_figure(self.expected)} ({self.tolerance})"
        return f"{self.id} {sign} {self.what}: {asked}, got {_figure(self.got)}"

    def cells(self) -> tuple[str, ...]:
        """As a line of the table in docs/fidelity.md."""
        got = self.finding or _figure(self.got) + ("" if self.ok else " **off**")
        return (self.id, self.source, self.what, _figure(self.expected), got, self.tolerance)


@dataclass(frozen=True, slots=True)
class Target:
    """What a study reproduces. Makes its rows."""

    id: str
    source: str

    def relative(self, what: str, expected: float, got: float, ratio: float) -> Row:
        """`got` within `ratio` of `expected`."""
        return self.absolute(what, expected, got, abs(expected) * ratio, f"±{ratio * 100:.3g} %")

    def absolute(self, what: str, expected: float, got: float, distance: float, words: str = "") -> Row:
        """`got` no further than `distance` from `expected`."""
        words = words or f"±{distance:.3g}"
        return self.between(what, expected, got, expected - distance, expected + distance, words)

    def between(
        self, what: str, expected: float, got: float, low: float, high: float, words: str = ""
    ) -> Row:
        """`got` in [low, high], which need not lie evenly around `expected`."""
        return Row(
            id=self.id,
            source=self.source,
            what=what,
            expected=expected,
            got=got,
            low=low,
            high=high,
            tolerance=words or f"{low:.4g} to {high:.4g}",
        )

    def at_least(self, what: str, bound: float, got: float) -> Row:
        return self.between(what, bound, got, bound, inf, "at least")

    def at_most(self, what: str, bound: float, got: float) -> Row:
        return self.between(what, bound, got, -inf, bound, "at most")

    def share(self, what: str, expected: float, hits: int, runs: int) -> Row:
        """A share of runs in which chance decides: its Wilson interval has to cover what the source says."""
        low, high = interval(hits, runs)
        words = f"covered by {low:.2f} to {high:.2f}, 95 % sure"
        return self.between(
            f"{what}, share of {runs}", expected, hits / runs, *_covering(expected, runs), words
        )

    def true(self, what: str, *, holds: bool) -> Row:
        """A statement without a figure, such as an order."""
        return self.between(what, 1.0, float(holds), 1.0, 1.0, "holds: 1")

    def finding(self, what: str, reason: str) -> Row:
        """What our code cannot express, and why."""
        return Row(id=self.id, source=self.source, what=what, finding=reason)


def _covering(share: float, runs: int) -> tuple[float, float]:
    """The least and the greatest share of `runs` whose interval covers `share`."""
    hits = [k for k in range(runs + 1) if (i := interval(k, runs))[0] - 1e-12 <= share <= i[1] + 1e-12]
    return hits[0] / runs, hits[-1] / runs


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
