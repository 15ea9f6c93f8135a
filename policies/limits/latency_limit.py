"""What the three limits that measure their own baseline have in common: the latency that they look at."""

from dataclasses import dataclass
from typing import Literal

from policies.bounds import check_word
from policies.call import Attempt
from policies.limits.adaptive_limit import AdaptiveLimit

METRICS = ("ttft", "e2e")
SHORTEST_S = 1e-9  # rules divide by it


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyLimit(AdaptiveLimit):
    """Observes seconds.

    Attributes:
        min_limit: the least that the limit may fall to.
        metric: `ttft`, time to the first token, or `e2e`, to the end. An answer that does not stream has only
            the second.
    """

    min_limit: int = 1
    metric: Literal["ttft", "e2e"] = "ttft"

    def __post_init__(self) -> None:
        self.check_limits("min_limit")
        check_word(self, "metric", of=METRICS)

    def observed(self, attempt: Attempt, now: float) -> float | None:
        if not self._to_first_token(attempt):
            return max(attempt.age_s(now), SHORTEST_S)
        if attempt.first_token_s is None:
            return None
        return max(attempt.first_token_s - attempt.started_s, SHORTEST_S)

    def observed_at_least(self, attempt: Attempt, now: float) -> float | None:
        if self._to_first_token(attempt) and attempt.first_token_s is not None:
            return None  # it counts when the attempt ends, and not every second until then
        return max(attempt.age_s(now), SHORTEST_S)

    def within(self, limit: float) -> float:
        """The limit, kept between its bounds."""
        return max(self.min_limit, min(self.max_limit, limit))

    def _to_first_token(self, attempt: Attempt) -> bool:
        return self.metric == "ttft" and attempt.call.stream
