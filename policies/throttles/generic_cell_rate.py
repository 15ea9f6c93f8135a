"""The generic cell rate algorithm, a token bucket that keeps one number: when it is full again.

Source: ITU-T I.371 (theoretical arrival time). Numbers in, numbers out.
"""

from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count

ROUNDING_S = 1e-6  # timers may run early by so much; whoever comes back when told to is let in


class GenericCellRate:
    """Buckets of `burst` units that refill at `rate_per_s`, one for each key, full at first.

    No span of t seconds lets more than burst + rate * t through. A full bucket is the same as none, and is
    forgotten.
    """

    def __init__(self, rate_per_s: float, burst: float) -> None:
        self._rate_per_s = rate_per_s
        self._depth_s = burst / rate_per_s
        self._full_s: dict[Hashable, float] = {}
        self._look: list[tuple[float, int, Hashable]] = []  # when each bucket may be full, one entry for each
        self._numbers = count()

    def __len__(self) -> int:
        """Buckets that are remembered."""
        return len(self._full_s)

    def wait_s(self, key: Hashable, cost: float, now: float) -> float:
        """How long until `cost` fits. 0: it fits now. Infinity: it is more than the bucket holds."""
        needs_s = cost / self._rate_per_s
        if needs_s > self._depth_s:
            return float("inf")
        wait_s = max(self._full_s.get(key, now) - now, 0.0) + needs_s - self._depth_s
        return wait_s if wait_s > ROUNDING_S else 0.0

    def take(self, key: Hashable, cost: float, now: float) -> None:
        """Take what fits."""
        self._forget_full(now)
        full_s = self._full_s.get(key, now) + cost / self._rate_per_s
        if key not in self._full_s:
            heappush(self._look, (full_s, next(self._numbers), key))
        self._full_s[key] = full_s

    def _forget_full(self, now: float) -> None:
        while self._look and self._look[0][0] <= now:
            _, _, key = heappop(self._look)
            if (full_s := self._full_s[key]) <= now:
                del self._full_s[key]
            else:  # more was taken since
                heappush(self._look, (full_s, next(self._numbers), key))
