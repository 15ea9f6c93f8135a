"""Answers to probes, and which worker they speak for: the hot/cold rule of Prequal. Numbers in, numbers out.

Source: Wydrowski et al., "Load is not what you should balance: Introducing Prequal" (NSDI 2024).
"""

import random
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf
from statistics import median

SIZE = 16  # answers kept
RECENT = 128  # answers whose requests in flight say which number is high


@dataclass(slots=True, eq=False)
class Probe:
    """What a worker said. `at_s`: when it was asked; `uses`: picks that it is still good for."""

    worker: str
    in_flight: int
    latency_s: float | None
    at_s: float
    uses: float = inf


def reuse_budget(workers: int, probes_per_call: int, remove_per_call: int, size: int = SIZE) -> float:
    """Picks that an answer is good for, so that answers come in as fast as they are used up.

    b = max(1, (1 + d) / ((1 - m/n) * r_probe - r_remove)) with d = 1, m answers kept of n workers. Where n is
    not well above m the answers never run out, and their age alone ends them.
    """
    surplus = (1 - min(size, workers) / max(1, workers)) * probes_per_call - remove_per_call
    return max(1.0, 2 / surplus) if surplus > 0 else inf


class ProbePool:
    """The latest answer of each worker, `SIZE` at most, none older than `max_age_s`."""

    def __init__(self, max_age_s: float, q_rif: float) -> None:
        self._max_age_s = max_age_s
        self._q_rif = q_rif
        self._probes: dict[str, Probe] = {}  # the oldest answer first
        self._recent: deque[int] = deque(maxlen=RECENT)
        self._ordered: list[int] = []  # the same, ascending
        self._remove_oldest = False  # or the worst: they take turns

    def add(self, probe: Probe) -> None:
        """Take an answer in, in place of an older one of the same worker, or of the oldest."""
        self._probes.pop(probe.worker, None)
        self._probes[probe.worker] = probe
        if len(self._probes) > SIZE:
            del self._probes[next(iter(self._probes))]
        self._count(probe.in_flight)

    def fresh(self, now: float) -> list[Probe]:
        """The answers that are not too old."""
        oldest_s = now - self._max_age_s
        for stale in [worker for worker, probe in self._probes.items() if probe.at_s < oldest_s]:
            del self._probes[stale]
        return list(self._probes.values())

    def use(self, probe: Probe) -> None:
        """A request goes there: the answer counts it, and is dropped once it has been used up."""
        probe.in_flight += 1
        probe.uses -= 1
        if probe.uses < 1:
            self._drop(probe)

    def remove_one(self) -> None:
        """Drop the oldest answer and the worst in turn, so that neither age nor bad news piles up."""
        if not self._probes:
            return
        probes = list(self._probes.values())
        self._drop(probes[0] if self._remove_oldest else self.worst(probes))
        self._remove_oldest = not self._remove_oldest

    def best(self, probes: Sequence[Probe], weight: Callable[[Probe], float]) -> Probe:
        """The one of least latency among the cold; where all are hot, of the fewest requests in flight.

        A weight divides: half the weight counts as twice the latency, and twice the requests.
        """
        cold = [probe for probe in probes if probe.in_flight <= self.hot_above]
        if not cold:
            return min(probes, key=lambda probe: (probe.in_flight + 1) / weight(probe))
        unknown_s = _typical_s(cold)  # for a worker that has answered nobody yet

        def latency_s(probe: Probe) -> tuple[float, int]:
            known_s = unknown_s if probe.latency_s is None else probe.latency_s
            return known_s / weight(probe), probe.in_flight

        return min(cold, key=latency_s)

    def worst(self, probes: Sequence[Probe]) -> Probe:
        """Of the most requests in flight among the hot; where all are cold, of the longest latency."""
        hot = [probe for probe in probes if probe.in_flight > self.hot_above]
        if hot:
            return max(hot, key=lambda probe: probe.in_flight)
        return max(probes, key=lambda probe: probe.latency_s or 0.0)

    @property
    def hot_above(self) -> float:
        """A worker is hot with more requests in flight than the share `q_rif` of recent answers told of."""
        if not self._ordered:
            return inf
        return self._ordered[max(0, ceil(self._q_rif * len(self._ordered)) - 1)]

    def _count(self, in_flight: int) -> None:
        if len(self._recent) == RECENT:
            del self._ordered[bisect_left(self._ordered, self._recent[0])]
        self._recent.append(in_flight)
        insort(self._ordered, in_flight)

    def _drop(self, probe: Probe) -> None:
        if self._probes.get(probe.worker) is probe:
            del self._probes[probe.worker]


def rounded(budget: float, rng: random.Random) -> float:
    """A whole number whose mean is `budget`."""
    if budget == inf:
        return inf
    return int(budget) + (rng.random() < budget % 1)


def _typical_s(probes: Sequence[Probe]) -> float:
    known_s = [probe.latency_s for probe in probes if probe.latency_s is not None]
    return median(known_s) if known_s else 0.0
