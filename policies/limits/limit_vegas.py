"""TCP Vegas over requests, as in Netflix's concurrency-limits (VegasLimit).

queue = ceil(limit * (1 - base / sample)), with the shortest sample seen as base. With l = log10(limit), in
whole numbers and at least 1: queue <= l gives limit + beta*l, queue < alpha*l gives limit + l, queue > beta*l
or a drop gives limit - l, and in between it stays. Nothing moves below half the limit in flight but by drops.

The base is measured afresh every probe_multiplier * limit * U(0.5, 1) samples, and so takes a lasting fault
for health. The published rule takes the very next sample as base; here it must be of an attempt that was
admitted after the measuring began, since those before waited in the queue that it is to leave out.
"""

import random
from dataclasses import dataclass, field
from math import ceil, log10
from typing import ClassVar

from policies.bounds import check
from policies.limits.adaptive_limit import Rule
from policies.limits.latency_limit import LatencyLimit
from policies.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitVegas(LatencyLimit):
    """By the queue that the worker's own shortest latency suggests. Those of `LatencyLimit`, and:

    Attributes:
        alpha, beta: queue below which the limit rises and above which it falls, times log10(limit).
        smoothing_ratio: how far the limit goes towards its new value at once.
        probe_multiplier: the base is measured afresh after up to so many samples for each of the limit.
    """

    name: ClassVar[str] = "limit_vegas"
    meaning: ClassVar[str] = "a limit per worker by how far latency is above the shortest one measured"

    alpha: float = 3.0
    beta: float = 6.0
    smoothing_ratio: float = 1.0
    probe_multiplier: int = 30

    _rng: random.Random = field(
        default_factory=lambda: random.Random(0), init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        super(LimitVegas, self).__post_init__()
        check(self, "alpha", above=0)
        check(self, "beta", at_least=self.alpha)
        check(self, "smoothing_ratio", above=0, at_most=1)
        check(self, "probe_multiplier", at_least=1, whole=True)

    def bind(self, pool: Pool) -> None:
        self._rng.setstate(pool.rng(self.name).getstate())

    def rule(self) -> "Vegas":
        return Vegas(self, self._rng)


class Vegas(Rule):
    """One worker's limit. Observes seconds."""

    def __init__(self, rules: LimitVegas, rng: random.Random) -> None:
        self.limit = rules.initial_limit
        self.epoch = 0
        self.base_s: float | None = None  # None until it is measured
        self._rules = rules
        self._rng = rng
        self._begin_samples()

    def sample(self, observed: float, in_flight: int) -> None:
        self._samples += 1
        if self._samples >= self._share * self._rules.probe_multiplier * self.limit:
            self._begin_samples()
            self.base_s = None
            self.epoch += 1
        elif self.base_s is None or observed < self.base_s:
            self.base_s = observed
        elif in_flight * 2 >= self.limit:
            self._move_to(self.limit + self._step(observed))

    def at_least(self, observed: float, in_flight: int) -> None:
        if in_flight * 2 >= self.limit and self.is_too_much(observed):
            self.decrease()

    def drop(self, at_least: float | None, in_flight: int) -> None:
        self.decrease()

    def decrease(self) -> None:
        self._move_to(self.limit - self._log())

    def is_too_much(self, observed: float) -> bool:
        return self._queue(observed) > self._rules.beta * self._log()

    def _begin_samples(self) -> None:
        self._samples = 0
        self._share = self._rng.uniform(0.5, 1)

    def _step(self, observed: float) -> float:
        queue, log = self._queue(observed), self._log()
        if queue <= log:
            return self._rules.beta * log
        if queue < self._rules.alpha * log:
            return log
        return -log if queue > self._rules.beta * log else 0

    def _queue(self, observed: float) -> int:
        """Attempts that wait at the worker if this is not the base; 0 without one."""
        return 0 if self.base_s is None else ceil(self.limit * (1 - self.base_s / observed))

    def _log(self) -> int:
        return max(1, int(log10(self.limit)))

    def _move_to(self, limit: float) -> None:
        # As published: the bounds first, so that smoothing never leaves them.
        self.limit += self._rules.smoothing_ratio * (self._rules.within(limit) - self.limit)
