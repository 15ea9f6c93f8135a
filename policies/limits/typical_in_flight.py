"""How many attempts the other workers have in flight, as a rule. Numbers in, numbers out.

The mean of a worker is over the time in which it had any, so that a quiet hour says nothing. What is typical
for a worker is the median over the *others*: one that piles up attempts cannot raise its own cap.
"""

from dataclasses import dataclass, field
from math import exp

from policies.ranking import Ranking

MEMORY_S = 10.0  # of busy time: after as much, what was counts for a third; before, a worker says nothing


@dataclass(slots=True)
class _Load:
    """One worker: attempts in flight since a loop time, and their sums over busy seconds."""

    held: int = 0
    since_s: float = 0.0
    recent_area: float = 0.0  # attempts times seconds
    recent_busy_s: float = 0.0
    area: float = 0.0
    busy_s: float = 0.0
    seen_s: float = 0.0  # busy, ever

    def hold(self, held: int, now: float) -> None:
        if self.held:
            self.recent_area += self.held * (now - self.since_s)
            self.recent_busy_s += now - self.since_s
        self.held, self.since_s = held, now

    def mean(self, now: float) -> float | None:
        """None for a worker that was too seldom busy to say."""
        self.hold(self.held, now)
        kept = exp(-self.recent_busy_s / MEMORY_S)
        self.area = self.area * kept + self.recent_area
        self.busy_s = self.busy_s * kept + self.recent_busy_s
        self.seen_s += self.recent_busy_s
        self.recent_area = self.recent_busy_s = 0.0
        return self.area / self.busy_s if self.seen_s >= MEMORY_S else None


@dataclass(slots=True)
class TypicalInFlight:
    """The mean in flight of each worker, weighed by busy time, as of the latest `refresh`."""

    _loads: dict[str, _Load] = field(default_factory=dict)
    _ranking: Ranking = field(default_factory=lambda: Ranking({}))

    def hold(self, worker: str, held: int, now: float) -> None:
        """From now on it has so many in flight."""
        load = self._loads.get(worker)
        if load is None:
            load = self._loads[worker] = _Load()
        load.hold(held, now)

    def refresh(self, now: float) -> None:
        """Bring what is typical up to date. Costs the number of workers."""
        means = {worker: load.mean(now) for worker, load in self._loads.items()}
        self._ranking = Ranking({worker: mean for worker, mean in means.items() if mean is not None})

    def elsewhere(self, worker: str) -> float | None:
        """What the others have in flight; None without others."""
        return self._ranking.median_without(worker)
