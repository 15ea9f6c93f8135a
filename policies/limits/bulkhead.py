"""A bound on what one worker can hold of us: by Little's law the cheapest containment of a slow one."""

from collections import Counter
from dataclasses import dataclass, field
from math import ceil
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt
from policies.every import Every
from policies.limits.typical_in_flight import TypicalInFlight
from policies.outcome import Outcome
from policies.policy import Gate, Lease, Rejection

REFRESH_EVERY_S = 1.0
ROUNDING = 1e-9  # of means: three all the time must not come to four


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulkhead(Gate):
    """Caps the attempts in flight, counted to the end of the stream. Nothing waits here.

    Attributes:
        max_in_flight: the cap on each worker, with `auto_ratio` only until its peers are known.
        auto_ratio: the cap is so many times what its peers have in flight, as a rule; None for a fixed cap.
        min_in_flight: the least that `auto_ratio` may come to.
        client_cap: of attempts on all workers together, None for none.
    """

    name: ClassVar[str] = "bulkhead"
    meaning: ClassVar[str] = "caps the attempts in flight on each worker"

    max_in_flight: int = 8
    auto_ratio: float | None = None
    min_in_flight: int = 1
    client_cap: int | None = None

    _held: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    _all: "_Sum" = field(default_factory=lambda: _Sum(), init=False, repr=False, compare=False)
    _typical: TypicalInFlight = field(default_factory=TypicalInFlight, init=False, repr=False, compare=False)
    _refresh: Every = field(default_factory=Every, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "max_in_flight", "min_in_flight", at_least=1, whole=True)
        if self.auto_ratio is not None:
            check(self, "auto_ratio", at_least=1, at_most=100)
        if self.client_cap is not None:
            check(self, "client_cap", at_least=1, whole=True)

    def cap(self, worker: str) -> int:
        """The most that this worker may hold now."""
        typical = None if self.auto_ratio is None else self._typical.elsewhere(worker)
        if self.auto_ratio is None or typical is None:
            return self.max_in_flight
        return max(self.min_in_flight, ceil(self.auto_ratio * typical - ROUNDING))

    def sweep(self, now: float) -> None:
        if self.auto_ratio is not None and self._refresh.is_due(now, REFRESH_EVERY_S):
            self._typical.refresh(now)

    def weight(self, worker: str, now: float) -> float:
        return 0.0 if self._full(worker) else 1.0

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        worker = attempt.worker
        if self._client_full():
            return Rejection(f"{self.client_cap} of our attempts are in flight already")
        if self._full(worker):
            return Rejection(f"{worker} already holds {self._held[worker]} of our attempts")
        self.hold(worker, 1, attempt.started_s)
        return _Place(self)

    def describe(self, worker: str, now: float) -> str:
        return "bulkhead full" if self._full(worker) else ""

    def _full(self, worker: str) -> bool:
        return self._held[worker] >= self.cap(worker) or self._client_full()

    def _client_full(self) -> bool:
        return self.client_cap is not None and self._all.held >= self.client_cap

    def hold(self, worker: str, more: int, now: float) -> None:
        """From `now` on so many more are in flight."""
        self._held[worker] += more
        self._all.held += more
        if self.auto_ratio is not None:
            self._typical.hold(worker, self._held[worker], now)


@dataclass(slots=True)
class _Sum:
    held: int = 0


@dataclass(slots=True)
class _Place(Lease):
    bulkhead: Bulkhead

    def close(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self.bulkhead.hold(attempt.worker, -1, now)
