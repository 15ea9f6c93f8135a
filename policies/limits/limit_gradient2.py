"""The second gradient limit of Netflix's concurrency-limits (Gradient2Limit).

gradient = clamp(rtt_tolerance * long / sample, 0.5, 1), where `long` is the exponential mean of the samples;
limit = (1 - smoothing) * limit + smoothing * (limit * gradient + queue_size). Nothing moves below half the
limit in flight. The published rule does not know drops: time that ran out is a sample like any other.

Since `long` is of the worker's own past, a lasting fault becomes the baseline: the gradient is 1 again and
the limit climbs to its maximum (concurrency-limits#137).
"""

from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.limits.adaptive_limit import Rule
from policies.limits.latency_limit import LatencyLimit

WARM_UP = 10  # first samples, whose plain mean is taken
LEAST_GRADIENT = 0.5
DRIFTED = 2.0  # times the sample: a baseline this far above it is of a bad time that is over,
RETURN = 0.95  # and is cut to this share with each sample


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitGradient2(LatencyLimit):
    """By the latency against its own long-term mean. Those of `LatencyLimit`, and:

    Attributes:
        rtt_tolerance: times the long-term mean that a sample may come to.
        smoothing_ratio: how far the limit goes towards its new value at once.
        long_window: samples that the long-term mean is over.
        queue_size: added to the limit with each sample: waiting attempts that are fine.
    """

    name: ClassVar[str] = "limit_gradient2"
    meaning: ClassVar[str] = "a limit per worker by its latency against its own long-term mean"

    rtt_tolerance: float = 1.5
    smoothing_ratio: float = 0.2
    long_window: int = 600
    queue_size: int = 4

    def __post_init__(self) -> None:
        super(LimitGradient2, self).__post_init__()
        check(self, "rtt_tolerance", at_least=1)
        check(self, "smoothing_ratio", above=0, at_most=1)
        check(self, "long_window", at_least=1, whole=True)
        check(self, "queue_size", at_least=0, whole=True)

    def rule(self) -> "Gradient2":
        return Gradient2(self)


class Gradient2(Rule):
    """One worker's limit. Observes seconds."""

    def __init__(self, rules: LimitGradient2) -> None:
        self.limit = rules.initial_limit
        self.long_s = 0.0
        self._rules = rules
        self._samples = 0  # up to the end of the warm-up

    def sample(self, observed: float, in_flight: int) -> None:
        self._add(observed)
        gradient = self.gradient(observed)
        if self.long_s > DRIFTED * observed:
            self.long_s *= RETURN
        if in_flight * 2 >= self.limit:
            self._move(gradient)

    def at_least(self, observed: float, in_flight: int) -> None:
        if in_flight * 2 >= self.limit and self.is_too_much(observed):
            self._lower(self.gradient(observed))

    def drop(self, at_least: float | None, in_flight: int) -> None:
        if at_least is not None:
            self.sample(at_least, in_flight)

    def decrease(self) -> None:
        """Not part of the published rule: what the steepest gradient does."""
        self._lower(LEAST_GRADIENT)

    def is_too_much(self, observed: float) -> bool:
        return bool(self._samples) and self.gradient(observed) < 1

    def gradient(self, observed: float) -> float:
        """Below 1 where a sample is further above the long-term mean than is tolerated."""
        return max(LEAST_GRADIENT, min(1.0, self._rules.rtt_tolerance * self.long_s / observed))

    def _add(self, observed: float) -> None:
        self._samples = min(self._samples + 1, WARM_UP + 1)
        share = 1 / self._samples if self._samples <= WARM_UP else 2 / (self._rules.long_window + 1)
        self.long_s += share * (observed - self.long_s)

    def _lower(self, gradient: float) -> None:
        """Below `queue_size / (1 - gradient)` what is added for a queue outweighs what the gradient takes."""
        before = self.limit
        self._move(gradient)
        self.limit = min(before, self.limit)

    def _move(self, gradient: float) -> None:
        wanted = self.limit * gradient + self._rules.queue_size
        self.limit = self._rules.within(self.limit + self._rules.smoothing_ratio * (wanted - self.limit))
