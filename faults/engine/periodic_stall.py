"""The engine stands still for a while, again and again: garbage collection, a driver's retry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicStall(WorkerFault):
    """Nothing moves for the first `stall_s` of every `every_s` seconds, counted from when the fault began.

    A step under way is held, and takes what it still needs after the stall. No step ends inside of one.
    """

    kind: ClassVar[str] = "periodic_stall"
    meaning: ClassVar[str] = "the engine stands still for `stall_s` of every `every_s` seconds"
    neutral: ClassVar[Mapping[str, float]] = {"stall_s": 0.0}
    steady: ClassVar[bool] = False

    stall_s: float = 0.5
    every_s: float = 2.0

    def __post_init__(self) -> None:
        check("periodic_stall: stall_s", self.stall_s, 0)
        check("periodic_stall: every_s", self.every_s, 0, above=True)
        if self.stall_s >= self.every_s:
            raise ValueError(
                f"periodic_stall: stall_s must be below every_s ({self.every_s:g} s), got {self.stall_s};"
                " freeze() is the engine that never moves"
            )

    def effect(self) -> Effect:
        return Effect("stalled share", self.stall_s / self.every_s, "")

    def held_until_s(self, ends_s: float, started_s: float, since_s: float) -> float:
        from_s = max(started_s, since_s)
        left_s = ends_s - from_s
        if left_s <= 0 or self.stall_s == 0:
            return ends_s
        return since_s + self._when(self._moved(from_s - since_s) + left_s)

    def _moved(self, after_s: float) -> float:
        """Seconds of the first `after_s` in which the engine moved."""
        rounds, into_s = divmod(after_s, self.every_s)
        return rounds * (self.every_s - self.stall_s) + max(0.0, into_s - self.stall_s)

    def _when(self, moved_s: float) -> float:
        """The first moment by which it has moved for so long, seconds since the fault began."""
        rounds, into_s = divmod(moved_s, self.every_s - self.stall_s)
        if into_s == 0:  # the very end of a round, before the next stall
            return rounds * self.every_s
        return rounds * self.every_s + self.stall_s + into_s
