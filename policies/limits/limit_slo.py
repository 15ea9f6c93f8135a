"""A limit per worker by what was promised: no baseline is measured, so none can get used to a fault.

gradient = clamp(target / observed, least_gradient, most_gradient), the worse of first token and time per
token. Above the target the limit goes towards gradient * min(limit, in flight): what is held now is already
too much. Below it, towards gradient * limit, but only with at least half the limit in flight.

After dynamo#9047, which anchors the gradient to the promise. OmniRoute#10111 is the trap: the whole stream's
time as signal locks a worker out for good; hence times per token, and a floor that always admits one.
"""

from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.breakers.slow_bounds import MIN_GAPS
from policies.call import Attempt
from policies.limits.adaptive_limit import AdaptiveLimit, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSlo(AdaptiveLimit):
    """Observes how many times its target an attempt took. Those of `AdaptiveLimit`, and:

    Attributes:
        ttft_target_s: to the first token.
        tpot_target_s: mean per token after the first; infinity switches a target off.
        floor: the least that the limit may fall to.
        smoothing_ratio: how far the limit goes towards its new value at once.
        least_gradient, most_gradient: the most that one attempt can say.
    """

    name: ClassVar[str] = "limit_slo"
    meaning: ClassVar[str] = "a limit per worker by its latency against what was promised"

    ttft_target_s: float = 2.0
    tpot_target_s: float = 0.25
    floor: int = 1
    smoothing_ratio: float = 0.2
    least_gradient: float = 0.5
    most_gradient: float = 2.0

    def __post_init__(self) -> None:
        self.check_limits("floor")
        check(self, "ttft_target_s", "tpot_target_s", above=0)
        check(self, "smoothing_ratio", above=0, at_most=1)
        check(self, "least_gradient", above=0, at_most=1)
        check(self, "most_gradient", at_least=1, at_most=10)

    def rule(self) -> "Slo":
        return Slo(self)

    def observed(self, attempt: Attempt, now: float) -> float | None:
        """A hiccup must not speak for a short answer: the mean is over `MIN_GAPS` at least."""
        if not attempt.call.stream:
            return self._whole(attempt, now)
        if attempt.first_token_s is None or attempt.last_token_s is None:
            return None
        first_s, gaps = attempt.first_token_s, max(attempt.tokens - 1, MIN_GAPS)
        per_token_s = (attempt.last_token_s - first_s) / gaps
        return max((first_s - attempt.started_s) / self.ttft_target_s, per_token_s / self.tpot_target_s)

    def observed_at_least(self, attempt: Attempt, now: float) -> float | None:
        if not attempt.call.stream:
            return self._whole(attempt, now)
        if attempt.first_token_s is None:
            return attempt.age_s(now) / self.ttft_target_s
        gaps = max(attempt.tokens, MIN_GAPS)  # with the one after the next token
        return (now - attempt.first_token_s) / gaps / self.tpot_target_s

    def _whole(self, attempt: Attempt, now: float) -> float:
        tokens = max(attempt.tokens or attempt.call.max_tokens, 1)
        return attempt.age_s(now) / (self.ttft_target_s + self.tpot_target_s * tokens)


class Slo(Rule):
    """One worker's limit. Observes latency in multiples of its target."""

    def __init__(self, rules: LimitSlo) -> None:
        self.limit = rules.initial_limit
        self._rules = rules

    def sample(self, observed: float, in_flight: int) -> None:
        gradient = self._gradient(observed)
        if gradient < 1:
            self._move_to(gradient * min(self.limit, in_flight))
        elif in_flight * 2 >= self.limit:
            self._move_to(gradient * self.limit)

    def at_least(self, observed: float, in_flight: int) -> None:
        if self.is_too_much(observed):
            self.sample(observed, in_flight)

    def drop(self, at_least: float | None, in_flight: int) -> None:
        self._move_to(self._rules.least_gradient * min(self.limit, in_flight))

    def decrease(self) -> None:
        self._move_to(self._rules.least_gradient * self.limit)

    def is_too_much(self, observed: float) -> bool:
        return observed > 1

    def _gradient(self, observed: float) -> float:
        rules = self._rules
        if observed * rules.most_gradient <= 1:
            return rules.most_gradient
        return max(rules.least_gradient, 1 / observed)

    def _move_to(self, limit: float) -> None:
        moved = self.limit + self._rules.smoothing_ratio * (limit - self.limit)
        self.limit = max(self._rules.floor, min(self._rules.max_limit, moved))
