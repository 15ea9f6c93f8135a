"""How many of many time intervals are open: at an instant, on average, or all of them at once.

The mean is exact: the area under the count up to t is the sum of (t - start) over all that have started, less
the sum of (t - end) over all that have ended.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from harness.judging.percentiles import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """Intervals as sorted starts and sorted ends, in seconds, each with its running sum."""

    starts: Floats
    ends: Floats
    start_sums: Floats
    end_sums: Floats

    @classmethod
    def of(cls, intervals: Iterable[tuple[float, float]]) -> Self:
        """Intervals (start, end) in any order."""
        pairs = np.array(list(intervals), dtype=np.float64).reshape(-1, 2)
        return cls.between(pairs[:, 0], pairs[:, 1])

    @classmethod
    def between(cls, starts: Floats, ends: Floats) -> Self:
        """The same from columns: the first start belongs to the first end, in any order."""
        starts, ends = np.sort(starts), np.sort(ends)
        return cls(starts, ends, _running_sums(starts), _running_sums(ends))

    def at(self, times: Floats) -> Floats:
        """The number open at each of `times`."""
        begun = np.searchsorted(self.starts, times, side="right")
        over = np.searchsorted(self.ends, times, side="right")
        return (begun - over).astype(np.float64)

    def bounds(self, times: Floats, tie_s: float) -> tuple[Floats, Floats]:
        """The least and the most open at each of `times`, starts and ends within `tie_s` on either side."""
        early, late = times - tie_s, times + tie_s
        least = np.searchsorted(self.starts, early, side="left") - np.searchsorted(
            self.ends, late, side="right"
        )
        most = np.searchsorted(self.starts, late, side="right") - np.searchsorted(
            self.ends, early, side="left"
        )
        return least.astype(np.float64), most.astype(np.float64)

    def means(self, edges: Floats) -> Floats:
        """The time-weighted mean between neighbouring `edges` (n + 1 rising times give n means)."""
        begun = np.searchsorted(self.starts, edges, side="right")
        over = np.searchsorted(self.ends, edges, side="right")
        area = (begun * edges - self.start_sums[begun]) - (over * edges - self.end_sums[over])
        return np.asarray(np.diff(area) / np.diff(edges), dtype=np.float64)

    def mean(self, start_s: float, end_s: float) -> float:
        return float(self.means(np.array([start_s, end_s]))[0])

    def first_full(self, level: int, after_s: float, lasting_s: float) -> float | None:
        """When, from `after_s` on, at least `level` were first open for `lasting_s` without a break."""
        times = np.concatenate([self.starts, self.ends])
        steps = np.repeat([1, -1], [len(self.starts), len(self.ends)])
        order = np.lexsort((-steps, times))  # one that leaves as another comes is no gap
        times, full = times[order], np.cumsum(steps[order]) >= level
        changes = np.flatnonzero(np.diff(full, prepend=False, append=False))
        for begin, end in changes.reshape(-1, 2):
            since = max(float(times[begin]), after_s)
            until = float(times[end]) if end < len(times) else float("inf")
            if until - since >= lasting_s:
                return since
        return None


def _running_sums(values: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(values)])
