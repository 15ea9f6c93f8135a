"""How long attempts take at the other workers: the yardstick for one worker. Numbers in, numbers out.

A worker measured against its own past gets used to a lasting fault; its peers do not. Latencies are compared
only between attempts of about the same size (prompt tokens, or attempts side by side), in powers of two, so
that long prompts do not look like slow workers.
"""

from collections import defaultdict, deque
from math import exp, log
from statistics import median
from typing import TypeAlias

REFRESH_S = 1.0  # what is typical is worked out again after this long, if somebody asks
KEEP = 64  # latest samples of each worker

Sample: TypeAlias = tuple[float, int, float]  # when, bucket, seconds


class Peers:
    """The latest samples of every worker, none older than `span_s`."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._samples: dict[str, deque[Sample]] = defaultdict(lambda: deque(maxlen=KEEP))
        self._typical: dict[float, tuple[float, dict[int, _Ranking]]] = {}

    def add(self, worker: str, size: int, seconds: float, now: float) -> None:
        """One sample, or a lower bound where nothing better will come."""
        self._samples[worker].append((now, _bucket(size), seconds))

    def samples(self, worker: str, now: float) -> int:
        """How many are known of a worker."""
        return len(self._recent(worker, now))

    def elsewhere_s(self, worker: str, size: int, quantile: float, now: float) -> float | None:
        """What this quantile of attempts of about that size takes at the other workers.

        The median over them. None without any sample of theirs.
        """
        ranking = self._rankings(quantile, now).get(_bucket(size))
        return None if ranking is None else ranking.median_without(worker)

    def ratio(self, worker: str, now: float, still: "list[tuple[int, float]] | None" = None) -> float | None:
        """How many times longer its attempts take than those of its peers: the median over its attempts.

        `still`: size and age of attempts in flight, which count once they are older than is typical elsewhere.
        None if there is nothing to compare.
        """
        typical = self._elsewhere(worker, now)
        ratios = [
            log(seconds / typical[bucket])
            for _, bucket, seconds in self._recent(worker, now)
            if bucket in typical and seconds > 0
        ]
        ratios += [
            log(age_s / typical[_bucket(size)])
            for size, age_s in still or ()
            if age_s > typical.get(_bucket(size), float("inf"))
        ]
        return exp(median(ratios)) if ratios else None

    def forget(self, worker: str) -> None:
        """What is known of a worker says nothing any more."""
        self._samples.pop(worker, None)

    def _elsewhere(self, worker: str, now: float) -> dict[int, float]:
        """Typical seconds by bucket, of the other workers."""
        found = {}
        for bucket, ranking in self._rankings(0.5, now).items():
            if (seconds := ranking.median_without(worker)) is not None:
                found[bucket] = seconds
        return found

    def _recent(self, worker: str, now: float) -> "deque[Sample]":
        samples = self._samples.get(worker)
        if samples is None:
            return deque()
        while samples and samples[0][0] < now - self._span_s:
            samples.popleft()
        return samples

    def _rankings(self, quantile: float, now: float) -> "dict[int, _Ranking]":
        """For each bucket the quantile of each worker."""
        known = self._typical.get(quantile)
        if known is not None and known[0] > now:
            return known[1]
        found: dict[int, dict[str, float]] = defaultdict(dict)
        for worker in self._samples:
            buckets: dict[int, list[float]] = defaultdict(list)
            for _, bucket, seconds in self._recent(worker, now):
                buckets[bucket].append(seconds)
            for bucket, values in buckets.items():
                found[bucket][worker] = _quantile(values, quantile)
        rankings = {bucket: _Ranking(values) for bucket, values in found.items()}
        self._typical[quantile] = (now + REFRESH_S, rankings)
        return rankings


class _Ranking:
    """One figure of each worker, in order, so that the median of all but one costs no search."""

    def __init__(self, values: dict[str, float]) -> None:
        ranked = sorted(values, key=values.__getitem__)
        self._ordered = [values[worker] for worker in ranked]
        self._rank = {worker: rank for rank, worker in enumerate(ranked)}

    def median_without(self, worker: str) -> float | None:
        left = self._rank.get(worker, len(self._ordered))
        count = len(self._ordered) - (worker in self._rank)
        if not count:
            return None
        low, high = ((count - 1) // 2, count // 2)
        return (self._ordered[low + (low >= left)] + self._ordered[high + (high >= left)]) / 2


def _bucket(size: int) -> int:
    return max(size, 1).bit_length()


def _quantile(values: list[float], quantile: float) -> float:
    """The smallest value that at least this share does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(quantile * len(ordered)))]
