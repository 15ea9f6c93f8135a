"""How long attempts take at the other workers: the yardstick for one worker. Numbers in, numbers out.

A worker measured against its own past gets used to a lasting fault; its peers do not. Latencies are compared
only between attempts of about the same size (prompt tokens, attempts side by side, or both), in powers of
two, so that long prompts do not look like slow workers.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from math import ceil, exp, inf, log
from statistics import median
from typing import TypeAlias

from policies.ranking import Ranking

REFRESH_S = 1.0  # what is typical is worked out again after this long, if somebody asks
SLACK = 1e-9  # 0.7 x 10 samples are seven of them, whatever floating point makes of it
KEEP = 64  # latest samples of each worker

Size: TypeAlias = int | tuple[int, ...]
Bucket: TypeAlias = tuple[int, ...]
Sample: TypeAlias = tuple[float, Bucket, float]  # when, bucket, seconds


class Peers:
    """The latest samples of every worker, none older than `span_s`.

    `near`: without an attempt of the same size elsewhere, `ratio` compares with the nearest size, which is
    right only for what hardly depends on the size. `refresh_s`: how long what is typical stands.
    """

    def __init__(self, span_s: float, *, near: bool = False, refresh_s: float = REFRESH_S) -> None:
        self._span_s = span_s
        self._near = near
        self._refresh_s = refresh_s
        self._samples: dict[str, deque[Sample]] = defaultdict(lambda: deque(maxlen=KEEP))
        self._typical: dict[float, tuple[float, dict[Bucket, Ranking]]] = {}

    def add(self, worker: str, size: Size, seconds: float, now: float) -> None:
        """One sample, or a lower bound where nothing better will come."""
        self._samples[worker].append((now, _bucket(size), seconds))

    def samples(self, worker: str, now: float) -> int:
        """How many are known of a worker."""
        return len(self._recent(worker, now))

    def elsewhere_s(self, worker: str, size: Size, quantile: float, now: float) -> float | None:
        """What this quantile of attempts of about that size takes at the other workers.

        The median over them. None without any sample of theirs.
        """
        ranking = self._rankings(quantile, now).get(_bucket(size))
        return None if ranking is None else ranking.median_without(worker)

    def ratio(
        self,
        worker: str,
        now: float,
        still: Sequence[tuple[Size, float]] = (),
        *,
        quantile: float = 0.5,
        since_s: float = -inf,
        least: int = 1,
    ) -> float | None:
        """How many times longer its attempts take than this quantile of its peers' does: the median of them.

        `still`: size and age of attempts in flight, which count once they are older than that.
        `since_s`: older samples count only as far as there would else be fewer than `least`. None if there
        is nothing to compare, or less than `least`.
        """
        recent = self._recent(worker, now)
        if len(recent) + len(still) < max(least, 1):
            return None
        typical = _Elsewhere(self._rankings(quantile, now), worker, self._near)
        ratios: list[float] = []
        for size, age_s in still:
            expected_s = typical.seconds(_bucket(size))
            if expected_s is not None and age_s > expected_s:
                ratios.append(log(age_s / expected_s))
        for when_s, bucket, seconds in reversed(recent):
            if when_s < since_s and len(ratios) >= least:
                break
            expected_s = typical.seconds(bucket)
            if expected_s is not None and seconds > 0:
                ratios.append(log(seconds / expected_s))
        return exp(median(ratios)) if len(ratios) >= max(least, 1) else None

    def forget(self, worker: str) -> None:
        """What is known of a worker says nothing any more."""
        self._samples.pop(worker, None)

    def _recent(self, worker: str, now: float) -> deque[Sample]:
        samples = self._samples.get(worker)
        if samples is None:
            return deque()
        while samples and samples[0][0] < now - self._span_s:
            samples.popleft()
        return samples

    def _rankings(self, quantile: float, now: float) -> dict[Bucket, Ranking]:
        """For each bucket the quantile of each worker."""
        known = self._typical.get(quantile)
        if known is not None and known[0] > now:
            return known[1]
        found: dict[Bucket, dict[str, float]] = defaultdict(dict)
        for worker in self._samples:
            buckets: dict[Bucket, list[float]] = defaultdict(list)
            for _, bucket, seconds in self._recent(worker, now):
                buckets[bucket].append(seconds)
            for bucket, values in buckets.items():
                found[bucket][worker] = _quantile(values, quantile)
        rankings = {bucket: Ranking(values) for bucket, values in found.items()}
        self._typical[quantile] = (now + self._refresh_s, rankings)
        return rankings


class _Elsewhere:
    """Typical seconds at the other workers, found once for each bucket that is asked for."""

    def __init__(self, rankings: dict[Bucket, Ranking], worker: str, near: bool) -> None:
        self._rankings, self._worker, self._near = rankings, worker, near
        self._found: dict[Bucket, float | None] = {}

    def seconds(self, bucket: Bucket) -> float | None:
        if bucket not in self._found:
            self._found[bucket] = self._at(bucket) or (self._nearest(bucket) if self._near else None)
        return self._found[bucket]

    def _at(self, bucket: Bucket) -> float | None:
        ranking = self._rankings.get(bucket)
        return None if ranking is None else ranking.median_without(self._worker)

    def _nearest(self, bucket: Bucket) -> float | None:
        """Of two as near the larger, which takes longer: in doubt for the worker."""
        by_distance = sorted(self._rankings, key=lambda other: (_distance(bucket, other), other < bucket))
        return next((found for other in by_distance if (found := self._at(other)) is not None), None)


def _distance(one: Bucket, other: Bucket) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def _bucket(size: Size) -> Bucket:
    if isinstance(size, int):
        return (max(size, 1).bit_length(),)
    return tuple(max(each, 1).bit_length() for each in size)


def _quantile(values: list[float], quantile: float) -> float:
    """The smallest value that at least this share does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, ceil(quantile * len(ordered) - SLACK) - 1)]
