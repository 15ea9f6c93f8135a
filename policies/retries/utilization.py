"""How full the workers of a pool are. Numbers in, numbers out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from policies.pool import Pool


@dataclass(slots=True)
class Utilization:
    """Places taken over places there are. What waits at a full worker counts no more.

    A slow worker gathers attempts; it must not by itself make the pool look too full for hedges against it.
    """

    capacity: int  # attempts that a worker serves at once
    workers: int = 1
    taken: int = 0
    _pending: Mapping[str, int] = field(default_factory=dict)

    def bind(self, pool: Pool) -> None:
        self.workers, self._pending = len(pool.workers) or 1, pool.pending

    @property
    def ratio(self) -> float:
        return self.taken / (self.workers * self.capacity)

    def started(self, worker: str) -> None:
        """The pool counts it already."""
        self.taken += self._pending.get(worker, 0) <= self.capacity

    def ended(self, worker: str) -> None:
        """The pool counts it no longer."""
        self.taken -= self._pending.get(worker, 0) < self.capacity
