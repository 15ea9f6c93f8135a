"""A bound on the first token that follows what the other workers need for such a prompt."""

from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt
from policies.evidence import Sample, lesson
from policies.outcome import Outcome
from policies.policy import FREE, Gate, Lease, Rejection
from policies.timers.first_tokens import FirstTokens


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveTimeout(Gate):
    """Sets the bound of each streaming attempt to clamp(k * what the peers need, lo_s, hi_s).

    A worker's own first tokens do not count: a slow one must not talk its bound up. Where all are slow, all
    bounds rise; that is overload, which no timeout mends.

    Attributes:
        k: how many times what the peers need.
        quantile: of the peers' first tokens, by prompts of about the same length.
        window_s: how far back they count.
        min_samples: with fewer of them the bound is `hi_s`.
        lo_s, hi_s: the bound is never outside these.
    """

    name: ClassVar[str] = "adaptive_timeout"
    meaning: ClassVar[str] = "bounds the first token by what the other workers need for such a prompt"

    k: float = 3.0
    quantile: float = 0.95
    window_s: float = 60.0
    min_samples: int = 20
    lo_s: float = 1.0
    hi_s: float = 60.0

    _seen: FirstTokens = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "k", at_least=1)
        check(self, "quantile", above=0, at_most=1)
        check(self, "window_s", "lo_s", above=0)
        check(self, "min_samples", at_least=1, whole=True)
        check(self, "hi_s", at_least=self.lo_s)
        object.__setattr__(self, "_seen", FirstTokens(self.window_s, self.min_samples))

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        if attempt.call.stream:
            attempt.ttft_s = min(attempt.ttft_s, self.bound_s(self._elsewhere_s(attempt, attempt.started_s)))
        return FREE

    def bound_s(self, elsewhere_s: float | None) -> float:
        """The bound where the peers need `elsewhere_s`."""
        return self.hi_s if elsewhere_s is None else min(max(self.k * elsewhere_s, self.lo_s), self.hi_s)

    def first_token(self, attempt: Attempt) -> None:
        if attempt.call.stream and attempt.first_token_s is not None:
            self._learn(attempt, attempt.first_token_s)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        if not attempt.call.stream or attempt.first_token_s is not None:
            return
        elsewhere_s = self._elsewhere_s(attempt, now)
        overdue = elsewhere_s is not None and attempt.age_s(now) > elsewhere_s
        if lesson(outcome, overdue=overdue).latency is Sample.AT_LEAST:
            self._learn(attempt, now)

    def _learn(self, attempt: Attempt, now: float) -> None:
        self._seen.add(attempt.worker, attempt.call.prompt_tokens, attempt.age_s(now), now)

    def _elsewhere_s(self, attempt: Attempt, now: float) -> float | None:
        return self._seen.elsewhere_s(attempt.worker, attempt.call.prompt_tokens, self.quantile, now)
