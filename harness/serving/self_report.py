"""What a worker says of itself to whoever asks: as it is now, or as it was when a fault froze it."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from harness.serving.pace import Pace

T = TypeVar("T")


class SelfReport(Generic[T]):
    """`make` writes the report as it is at a loop time."""

    def __init__(self, pace: Pace, make: Callable[[float], T]) -> None:
        self._pace = pace
        self._make = make
        self._kept: tuple[float, float, T] | None = None  # since when it is frozen, when it was made, itself

    def read(self, now: float) -> T:
        """What is said at `now`."""
        return self._keep(now)[1] if self._frozen(now) else self._make(now)

    def age_s(self, now: float) -> float:
        """Seconds since what is said now was true."""
        return now - self._keep(now)[0] if self._frozen(now) else 0.0

    def _frozen(self, now: float) -> bool:
        return self._pace.active(now).freezes_reports

    def _keep(self, now: float) -> tuple[float, T]:
        since_s = self._pace.fault_since_s
        if self._kept is None or self._kept[0] != since_s:
            self._kept = since_s, now, self._make(now)
        return self._kept[1:]


class SelfReports:
    """All that one worker says of itself. `keep` when a fault may have frozen it."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._all: list[SelfReport[Any]] = []

    def add(self, make: Callable[[float], T]) -> SelfReport[T]:
        report = SelfReport(self._pace, make)
        self._all.append(report)
        return report

    def keep(self, now: float) -> None:
        self.age_s(now)

    def age_s(self, now: float) -> float:
        """Of the oldest that is said now."""
        return max((report.age_s(now) for report in self._all), default=0.0)
