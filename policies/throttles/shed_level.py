"""How much to shed, and of whom: numbers in, numbers out.

A call's level is its priority and a random fraction, so that a priority is shed by shares. Whoever is at or
above the line is refused; the line is put where the share of recent traffic above it is the share to refuse.
"""

from collections.abc import Mapping
from math import inf

KEPT = 0.5  # of what is known of the traffic, at every interval; the rest is the latest interval
TOO_FEW = 0.01  # calls; a priority that nobody asks for any more is forgotten


class RejectRatio:
    """An integral controller: moves while a measure is off its target and stays where it is on it.

    ratio += gain * (measure - target), for each interval, within 0 and `most`. It takes no model of the pool:
    whatever the load, it ends where as much is refused as brings the measure to the target.
    """

    def __init__(self, target: float, gain: float, most: float) -> None:
        self._target, self._gain, self._most = target, gain, most
        self.value = 0.0

    def update(self, measure: float, intervals: float) -> float:
        """After `measure` was the mean of so many intervals. It rises by one at most."""
        excess = measure - self._target
        self.value += self._gain * (min(excess, excess * intervals))
        self.value = min(max(self.value, 0.0), self._most)
        return self.value


class Traffic:
    """Recent calls by priority, the latest interval counting half, the one before a quarter, and so on."""

    def __init__(self) -> None:
        self._counts: dict[int, float] = {}

    def add(self, priority: int) -> None:
        self._counts[priority] = self._counts.get(priority, 0.0) + 1

    def next_interval(self) -> Mapping[int, float]:
        """The counts up to now; what they are forgets a little."""
        counts = self._counts
        self._counts = {level: n * KEPT for level, n in counts.items() if n * KEPT >= TOO_FEW}
        return counts


def line(counts: Mapping[int, float], reject_ratio: float) -> float:
    """The level from which on calls are refused: the quantile of the traffic. Infinity if none is."""
    left = reject_ratio * sum(counts.values())
    if left <= 0:
        return inf
    for priority in sorted(counts, reverse=True):
        if left < counts[priority]:
            return priority + 1 - left / counts[priority]
        left -= counts[priority]
    return float(min(counts))


class TimeAverage:
    """The mean over time of a number that changes in steps."""

    def __init__(self) -> None:
        self.value = 0
        self._since_s = self._at_s = 0.0
        self._area = 0.0

    def add(self, change: int, now: float) -> None:
        self._area += self.value * (now - self._at_s)
        self._at_s = now
        self.value += change

    def age_s(self, now: float) -> float:
        """What the mean is over."""
        return now - self._since_s

    def take(self, now: float) -> float:
        """The mean since the last time that it was taken."""
        self.add(0, now)
        age_s = self.age_s(now)
        mean = self._area / age_s if age_s > 0 else float(self.value)
        self._since_s, self._area = now, 0.0
        return mean
