"""Gunther's Universal Scalability Law: how throughput grows with concurrency, where it bends and peaks.

X(n) = one * n / (1 + contention * (n - 1) + crosstalk * n * (n - 1)): what is shared makes the others wait,
and what must be kept in agreement costs each pair. With crosstalk more load means less throughput in the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from harness.judging.least_squares import non_negative


@dataclass(frozen=True, slots=True)
class Scalability:
    """The law with its constants.

    Attributes:
        one_rps: throughput at concurrency 1.
        contention_ratio: share of the work that is done one at a time, 0 or more.
        crosstalk_ratio: cost of each pair relative to the work of one, 0 or more.
    """

    one_rps: float
    contention_ratio: float
    crosstalk_ratio: float

    def throughput_rps(self, concurrency: float) -> float:
        """X(n)."""
        n, contention, crosstalk = concurrency, self.contention_ratio, self.crosstalk_ratio
        return self.one_rps * n / (1 + contention * (n - 1) + crosstalk * n * (n - 1))

    @property
    def peak(self) -> float:
        """Concurrency of the highest throughput, infinite without crosstalk; never below 1."""
        if self.contention_ratio >= 1:
            return 1.0
        if not self.crosstalk_ratio:
            return inf
        return max(1.0, sqrt((1 - self.contention_ratio) / self.crosstalk_ratio))

    @property
    def knee(self) -> float:
        """Concurrency of the best throughput for its latency, X(n) / R(n) with R = n / X; never below 1.

        That is Kleinrock's power (1979). Beyond it a share more throughput costs a larger share of latency.
        Infinite where nothing is shared.
        """
        serial, pairs = self.contention_ratio, self.crosstalk_ratio
        if pairs:
            slope = serial - pairs
            return max(1.0, (sqrt(slope**2 + 12 * pairs * max(0.0, 1 - serial)) - slope) / (6 * pairs))
        return max(1.0, (1 - serial) / serial) if serial else inf


def fit(concurrency: Sequence[float], throughput_rps: Sequence[float]) -> Scalability:
    """The law through measured points: linear least squares of n / X in 1, n - 1 and n * (n - 1).

    Each point counts by its relative error. A constant that comes out below 0 is noise, or growth faster
    than linear, which the law does not know: it is left out and the others are fitted again. ValueError
    unless there are three different concurrencies of at least 1, and throughput is above 0.
    """
    n, x = np.asarray(concurrency, dtype=float), np.asarray(throughput_rps, dtype=float)
    if n.shape != x.shape or len(set(n.tolist())) < 3 or not (n.min() >= 1 and n.max() < inf and x.min() > 0):
        raise ValueError(
            "needs a throughput above 0 for each of at least three different concurrencies of 1 or more"
        )
    terms = np.stack([np.ones_like(n), n - 1, n * (n - 1)]) * x / n
    one_s, serial_s, pairs_s = (float(constant) for constant in non_negative(terms.T, np.ones_like(n)))
    return Scalability(1 / one_s, serial_s / one_s, pairs_s / one_s)
