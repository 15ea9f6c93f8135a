"""The requests of one caller as columns, and which of them were good.

A caller's own bound, unless an SLO says otherwise: five times the median of its baseline, but at least 0.1 s,
below which nobody notices a difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from harness.judging.history import CallerSetup
from harness.judging.percentiles import Floats, quantile
from harness.judging.requests import Request
from harness.judging.windows import Window

GOOD_FACTOR = 5.0
GOOD_AT_LEAST_S = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Cohort:
    """Requests in order of `intended_s`; all columns are as long as `requests`, times in seconds."""

    setup: CallerSetup
    bystander: bool
    good_within_s: float
    requests: tuple[Request, ...]
    intended_s: Floats
    elapsed_s: Floats
    e2e_s: Floats  # infinity if not answered

    @classmethod
    def of(
        cls, setup: CallerSetup, requests: Sequence[Request], baseline: Window, *, bystander: bool
    ) -> Self:
        """`requests` are this caller's, in order of their intended send time."""
        intended = np.array([r.arrived.intended_s for r in requests], dtype=np.float64)
        elapsed = np.array([r.elapsed_s for r in requests], dtype=np.float64)
        e2e = np.array([r.e2e_s for r in requests], dtype=np.float64)
        good_within = default_bound_s(e2e[baseline.select(intended)])
        return cls(setup, bystander, good_within, tuple(requests), intended, elapsed, e2e)

    @property
    def name(self) -> str:
        return self.setup.name

    @property
    def good(self) -> Floats:
        """1 for an answer in time, 0 for anything else."""
        return (self.e2e_s <= self.good_within_s).astype(np.float64)

    @property
    def scored_s(self) -> Floats:
        """Latency with a failure counted as the bound, or as long as it took if that was longer."""
        failed = np.maximum(self.elapsed_s, self.good_within_s)
        return np.where(np.isinf(self.e2e_s), failed, self.e2e_s)

    @property
    def ended_s(self) -> Floats:
        return self.intended_s + self.elapsed_s


def default_bound_s(baseline_s: Floats) -> float:
    """The bound of a caller whose baseline latencies are `baseline_s`, failures as infinity."""
    median = quantile(baseline_s[np.isfinite(baseline_s)], 0.5)
    return max(GOOD_FACTOR * (median or 0.0), GOOD_AT_LEAST_S)
