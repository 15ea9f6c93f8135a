"""A bound on what one worker can hold of us: by Little's law the cheapest containment of a slow one."""

from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt
from policies.outcome import Outcome
from policies.policy import Gate, Lease, Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulkhead(Gate):
    """At most `max_in_flight` attempts on a worker, counted to the end of the stream. Nothing waits here."""

    name: ClassVar[str] = "bulkhead"
    meaning: ClassVar[str] = "caps the attempts in flight on each worker"

    max_in_flight: int = 8

    _held: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "max_in_flight", at_least=1, whole=True)

    def weight(self, worker: str, now: float) -> float:
        return 1.0 if self._held[worker] < self.max_in_flight else 0.0

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        if self._held[attempt.worker] >= self.max_in_flight:
            return Rejection(f"{attempt.worker} already holds {self.max_in_flight} of our attempts")
        self._held[attempt.worker] += 1
        return _Place(self._held)

    def describe(self, worker: str, now: float) -> str:
        return "bulkhead full" if self._held[worker] >= self.max_in_flight else ""


@dataclass(slots=True)
class _Place(Lease):
    held: Counter[str]

    def close(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self.held[attempt.worker] -= 1
