"""Counts over the last seconds, in buckets: numbers in, numbers out."""

from collections import deque
from dataclasses import dataclass

from policies.evidence import Evidence

BUCKETS = 10  # the window forgets in steps of a tenth of its span
SHORTEST_S = 1e-9  # of a step; any shorter one holds what happens at one moment, as this does


@dataclass(slots=True)
class Counts:
    """Judged attempts; failures and slow ones are among `calls`."""

    calls: int = 0
    failures: int = 0
    slow: int = 0

    def count(self, evidence: Evidence) -> None:
        self.calls += 1
        self.failures += evidence is Evidence.FAILURE
        self.slow += evidence is Evidence.SLOW

    def with_slow(self, more: int) -> "Counts":
        """These counts and `more` slow ones."""
        return Counts(self.calls + more, self.failures, self.slow + more)


class RollingWindow:
    """What was counted in the last `span_s` seconds, give or take one bucket."""

    def __init__(self, span_s: float) -> None:
        self._bucket_s = max(span_s / BUCKETS, SHORTEST_S)
        self._buckets: deque[tuple[int, Counts]] = deque(maxlen=BUCKETS)

    def add(self, evidence: Evidence, now: float) -> None:
        """Count an ending at `now`, the time it is known and not the time it started."""
        index = self._index(now)
        if not self._buckets or self._buckets[-1][0] < index:
            self._buckets.append((index, Counts()))
        self._buckets[-1][1].count(evidence)

    def counts(self, now: float) -> Counts:
        """The sum over the window that ends at `now`."""
        oldest = self._index(now) - BUCKETS + 1
        calls = failures = slow = 0
        for index, counts in self._buckets:
            if index >= oldest:
                calls += counts.calls
                failures += counts.failures
                slow += counts.slow
        return Counts(calls, failures, slow)

    def clear(self) -> None:
        self._buckets.clear()

    def _index(self, now: float) -> int:
        return int(now // self._bucket_s)
