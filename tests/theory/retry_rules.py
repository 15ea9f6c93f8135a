"""Layers that the policy catalogue does not have, each placed just below `Retry`, which goes on driving.

They see every attempt: `call.attempts` is 0 before the first try. A refused retry ends the call, because a
refusal of our own is final to `Retry`.
"""

from dataclasses import dataclass, field

from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.policy import Layer, Next
from policies.retries.retry import Retry

UNBOUNDED = 1_000_000  # attempts; for policies that bound retries by other means
_REFUSED = Outcome(kind=Kind.REJECTED, phase="admission", cause="no retry", by="retry rule", status=503)


def resend(retries: int) -> Retry:
    """Retries at once, to the same worker."""
    return Retry(max_attempts=retries + 1, initial_s=0, other_worker=False)


class RetryRule(Layer):
    """Says whether a retry may be made. This one always says yes."""

    async def run(self, call: Call, next: Next) -> Outcome:
        if call.attempts == 0:
            self.first_try()
        elif not self.may_retry():
            return _REFUSED
        outcome = await next(call)
        if not outcome.answered:
            self.failed()
        return outcome

    def first_try(self) -> None: ...
    def failed(self) -> None: ...
    def may_retry(self) -> bool:
        return True


@dataclass(slots=True)
class Bucket(RetryRule):
    """A retry costs 1 token, a first try brings `per_first_try`, and `size` is the most there can be.

    As in the source a retry needs more than 1 token, not just 1. None of the published budgets is this one:
    what calls bring to finagle's has no upper end but expires, and grpc's and aws's fill with successes.
    """

    per_first_try: float = 0.1
    size: float = 5.0
    tokens: float = field(default=5.0, init=False)

    def first_try(self) -> None:
        self.tokens = min(self.tokens + self.per_first_try, self.size)

    def may_retry(self) -> bool:
        if self.tokens <= 1:
            return False
        self.tokens -= 1
        return True


@dataclass(slots=True)
class LifetimeBreaker(RetryRule):
    """No retry while failed attempts are more than `ratio` of the first tries, both counted for ever.

    A breaker of ours judges a worker over a window and shuts out first tries as well.
    """

    ratio: float = 0.1
    calls: int = field(default=0, init=False)
    failures: int = field(default=0, init=False)

    def first_try(self) -> None:
        self.calls += 1

    def failed(self) -> None:
        self.failures += 1

    def may_retry(self) -> bool:
        return self.failures <= self.ratio * self.calls
