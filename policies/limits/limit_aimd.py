"""Additive increase, multiplicative decrease, as in Netflix's concurrency-limits (AIMDLimit).

A drop, or a sample above `timeout_s`: limit = min(limit - 1, limit * backoff_ratio), in whole numbers. Any
other sample of an attempt that was admitted with at least half the limit in flight: limit + 1.
"""

from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.limits.adaptive_limit import Rule
from policies.limits.latency_limit import LatencyLimit


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitAimd(LatencyLimit):
    """Raised by one with each good answer, cut with each bad one. Those of `LatencyLimit`, and:

    Attributes:
        backoff_ratio: of the limit that a drop leaves.
        timeout_s: what is longer counts as a drop.
    """

    name: ClassVar[str] = "limit_aimd"
    meaning: ClassVar[str] = "a limit per worker: one more with each good answer, a tenth less with each bad"

    backoff_ratio: float = 0.9
    timeout_s: float = 5.0

    def __post_init__(self) -> None:
        super(LimitAimd, self).__post_init__()
        check(self, "backoff_ratio", at_least=0.5, at_most=1)
        check(self, "timeout_s", above=0)

    def rule(self) -> "Aimd":
        return Aimd(self)


class Aimd(Rule):
    """One worker's limit. Observes seconds."""

    def __init__(self, rules: LimitAimd) -> None:
        self.limit = rules.initial_limit
        self._rules = rules

    def sample(self, observed: float, in_flight: int) -> None:
        if self.is_too_much(observed):
            self.decrease()
        elif in_flight * 2 >= self.limit:
            self.limit = self._rules.within(self.limit + 1)

    def at_least(self, observed: float, in_flight: int) -> None:
        if self.is_too_much(observed):
            self.decrease()

    def drop(self, at_least: float | None, in_flight: int) -> None:
        self.decrease()

    def decrease(self) -> None:
        cut = min(self.limit - 1, int(self.limit * self._rules.backoff_ratio))
        self.limit = self._rules.within(cut)

    def is_too_much(self, observed: float) -> bool:
        return observed > self._rules.timeout_s
