"""The requests of one caller as columns, and which of them were good.

A caller's own bound, unless an SLO says otherwise: five times the median of its baseline, but at least 0.1 s,
below which nobody notices a difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Self

import numpy as np

from harness.judging.bootstrap import Blocks
from harness.judging.history import CallerSetup
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import Flags, Floats, quantile
from harness.judging.requests import Request
from harness.judging.windows import Window

GOOD_FACTOR = 5.0
GOOD_AT_LEAST_S = 0.1

SHED = frozenset({"overload", "rejected"})


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
    late_s: Floats  # sent so long after it was meant to be
    first_token_s: Floats  # since the intended send time, infinity if none came
    tpot_s: Floats  # mean time per token after the first, NaN for an answer of one or none
    max_gap_s: Floats
    tokens: Floats
    answered: Flags
    shed: Flags
    under_way: Occupancy

    @classmethod
    def of(
        cls, setup: CallerSetup, requests: Sequence[Request], baseline: Window, *, bystander: bool
    ) -> Self:
        """`requests` are this caller's, in order of their intended send time."""
        arrived, ended = [r.arrived for r in requests], [r.ended for r in requests]
        intended = _column([a.intended_s for a in arrived])
        elapsed = _column([e.at_s for e in ended]) - intended
        first = _column([inf if e.first_token_s is None else e.first_token_s for e in ended])
        last = _column([inf if e.last_token_s is None else e.last_token_s for e in ended])
        tokens = _column([e.tokens for e in ended])
        answered = np.array([r.answered for r in requests], dtype=np.bool_)
        e2e = np.where(answered, elapsed, inf)
        return cls(
            setup=setup,
            bystander=bystander,
            good_within_s=default_bound_s(e2e[baseline.select(intended)]),
            requests=tuple(requests),
            intended_s=intended,
            elapsed_s=elapsed,
            e2e_s=e2e,
            late_s=_column([a.at_s for a in arrived]) - intended,
            first_token_s=first - intended,
            tpot_s=_per_token(first, last, tokens),
            max_gap_s=_column([e.max_gap_s for e in ended]),
            tokens=tokens,
            answered=answered,
            shed=np.array([e.kind in SHED for e in ended], dtype=np.bool_),
            under_way=Occupancy.between(intended, intended + elapsed),
        )

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


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A cohort in one window of its run."""

    cohort: Cohort
    blocks: Blocks

    @property
    def where(self) -> slice:
        return self.blocks.window.select(self.cohort.intended_s)

    @property
    def intended_s(self) -> Floats:
        return self.cohort.intended_s[self.where]

    @property
    def count(self) -> int:
        return len(self.intended_s)


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, dtype=np.float64)


def _per_token(first_s: Floats, last_s: Floats, tokens: Floats) -> Floats:
    """0 where the times of a longer answer are not known."""
    times = np.full(len(tokens), np.nan)
    several = tokens > 1
    times[several] = 0.0
    known = several & np.isfinite(first_s) & np.isfinite(last_s)
    times[known] = (last_s[known] - first_s[known]) / (tokens[known] - 1)
    return times


def default_bound_s(baseline_s: Floats) -> float:
    """The bound of a caller whose baseline latencies are `baseline_s`, failures as infinity."""
    median = quantile(baseline_s[np.isfinite(baseline_s)], 0.5)
    return max(GOOD_FACTOR * (median or 0.0), GOOD_AT_LEAST_S)
