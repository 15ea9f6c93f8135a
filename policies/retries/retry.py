"""Another attempt after a failed one, with tenacity as the driver.

tenacity supplies the loop only. What is worth another attempt, how many were made, how long to wait and when
to stop is decided here: its own rules read the wall clock and the global random, and every catch-all
predicate of its own would also retry a cancellation.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from tenacity import AsyncRetrying, Future, RetryCallState, retry_if_result

from policies.bounds import check, check_switch, check_word
from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.policy import Driver, Next, Policy
from policies.retries.backoff import JITTERS, longest_s
from policies.retries.retry_budget import MOST_RATIO, RetryBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(Driver):
    """Retries timeouts of an attempt, 5xx, broken connections and overload, until a token reached the caller.

    Attributes:
        max_attempts: attempts in all, the first included.
        initial_s, multiplier, max_s: the wait before attempt n+1 is at most
            min(max_s, initial_s * multiplier^(n-1)), but at least as long as the far side asked for.
        jitter: how much of that: `full` U(0, all), `off` all, `equal` half and U(0, half), `decorrelated`
            min(max_s, U(initial_s, 3 * the wait before)).
        other_worker: prefer workers that have not failed this call.
        before_commit: not once the caller has a content token. False repeats text, as many clients do; such
            an answer is OK in the phase `retry`, so that no cache keeps it.
        budget_ratio: of calls that may be retried, which brings a `retry_budget`; None brings none.
        stacked: further in than another driver on purpose, though their attempts multiply.
    """

    name: ClassVar[str] = "retry"
    meaning: ClassVar[str] = "tries again after a failure, with jittered backoff, through tenacity"

    max_attempts: int = 2
    initial_s: float = 0.1
    multiplier: float = 2.0
    max_s: float = 2.0
    jitter: str = "full"
    other_worker: bool = True
    before_commit: bool = True
    budget_ratio: float | None = None
    stacked: bool = False

    @property
    def most_attempts(self) -> int:
        return self.max_attempts

    def __post_init__(self) -> None:
        check(self, "max_attempts", at_least=1, whole=True)
        check(self, "initial_s", "max_s", at_least=0)
        check(self, "multiplier", at_least=1)
        check_switch(self, "other_worker", "before_commit", "stacked")
        if self.budget_ratio is not None:
            check(self, "budget_ratio", at_least=0, at_most=MOST_RATIO)
        check_word(self, "jitter", of=JITTERS)

    def brings(self) -> Sequence[Policy]:
        return () if self.budget_ratio is None else (RetryBudget(ratio=self.budget_ratio),)

    async def run(self, call: Call, next: Next) -> Outcome:
        tries = _Tries(self, call, next)
        first = await tries.once()
        return await tries.go_on(first) if tries.worth_another(first) else first

    def backoff_s(self, made: int) -> float:
        """Upper end of the wait after `made` attempts, decorrelated jitter aside."""
        return longest_s(made, self.initial_s, self.multiplier, self.max_s)


def retryable(outcome: Outcome) -> bool:
    """Whether another attempt could end better. A refusal of our own is final: it said no to the call."""
    if outcome.kind is Kind.TIMEOUT:
        return outcome.phase != "total"
    if outcome.kind is Kind.ERROR:
        return outcome.status == 0 or outcome.status >= 500
    return outcome.kind is Kind.OVERLOAD


@dataclass(slots=True)
class _Tries:
    """The attempts of one call. Their number is counted here: tenacity's statistics are per retry object.

    tenacity takes over once the first has failed: it costs more than everything else on a call's way.
    """

    rules: Retry
    call: Call
    next: Next
    made: int = 0
    ended: Outcome | None = None  # the ending that tenacity has not seen yet
    waited_s: float | None = None  # before the latest attempt

    async def go_on(self, first: Outcome) -> Outcome:
        """All attempts after one that ended with `first`."""
        self.ended = first
        driver = AsyncRetrying(
            sleep=asyncio.sleep,
            retry=retry_if_result(self.worth_another),
            wait=self._wait_s,
            stop=self._is_over,
            before_sleep=self._leave_worker,
            retry_error_callback=_outcome,
        )
        return await driver(self._take_or_make)

    async def once(self) -> Outcome:
        self.made += 1
        begun = self.call.committed
        outcome = await self.next(self.call)
        if begun and outcome.answered:
            return replace(outcome, phase=Retry.name, by=Retry.name, cause="after text that broke off")
        return outcome

    async def _take_or_make(self) -> Outcome:
        ended, self.ended = self.ended, None
        return await self.once() if ended is None else ended

    def worth_another(self, outcome: Outcome) -> bool:
        return retryable(outcome) and not (self.rules.before_commit and self.call.committed)

    def _wait_s(self, state: RetryCallState) -> float:
        rules = self.rules
        last_s = rules.initial_s if self.waited_s is None else self.waited_s
        self.waited_s = JITTERS[rules.jitter](
            rules.backoff_s(self.made), last_s, rules.initial_s, rules.max_s, self.call.rng
        )
        return max(self.waited_s, _outcome(state).retry_after_s or 0.0)

    def _is_over(self, state: RetryCallState) -> bool:
        now = asyncio.get_running_loop().time()
        if self.made >= self.rules.max_attempts or now + state.upcoming_sleep >= self.call.deadline_s:
            return True
        return not self.call.budget.take(now)

    def _leave_worker(self, state: RetryCallState) -> None:
        if self.rules.other_worker:
            self.call.avoid.add(self.call.last_worker)


def _outcome(state: RetryCallState) -> Outcome:
    ended = cast(Future, state.outcome)  # tenacity asks only after an attempt
    return cast(Outcome, ended.result())
