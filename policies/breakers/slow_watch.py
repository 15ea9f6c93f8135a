"""Which attempts in flight may have become slow by now, without looking at all of them.

What an attempt has at a look gives a time until which it cannot be slow, whatever comes meanwhile, so it need
not be looked at again before: healthy attempts cost a glance or two, however many there are.
"""

from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class SlowWatch(Generic[T]):
    """Things to look at again once their time has come."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, T]] = []
        self._numbers = count()

    def __len__(self) -> int:
        """How many things are kept."""
        return len(self._due)

    def look_at(self, thing: T, when_s: float) -> None:
        """Not to be looked at before `when_s` has passed; never, if that is infinity, and then not kept."""
        if when_s != inf:
            heappush(self._due, (when_s, next(self._numbers), thing))

    def take_due(self, now: float) -> list[T]:
        """What is to be looked at now, the first due first. It is not watched any more."""
        due: list[T] = []
        while self._due and self._due[0][0] < now:
            due.append(heappop(self._due)[2])
        return due
