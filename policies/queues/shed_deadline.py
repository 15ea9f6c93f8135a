"""Refuses what would be late anyway: work that nobody can use is not begun."""

import asyncio
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt, Call, Trail
from policies.evidence import Sample, lesson
from policies.outcome import Outcome
from policies.pipeline import EARLY_TIMER_S
from policies.policy import Layer, Next
from policies.pool import Pool
from policies.queues.expected_time import ExpectedTime
from policies.refusal import refusal

PROBE_S = 1.0  # so often one call goes that would be refused, to find out whether it would be late


@dataclass(frozen=True, slots=True, kw_only=True)
class ShedDeadline(Layer):
    """Refuses a call unless now + E[ttft] + E[tpot] * max_tokens < deadline + slack. See `ExpectedTime`.

    Without a deadline, or while too little is known, nobody is refused. Attempts that stream teach it.

    Attributes:
        quantile: of recent attempts, which is expected of the next.
        slack_s: so much later than the deadline is let through.
        min_samples: recent first tokens below which nothing is known.
    """

    name: ClassVar[str] = "shed_deadline"
    meaning: ClassVar[str] = "refuses a call whose answer is expected after its deadline"

    quantile: float = 0.5
    slack_s: float = 0.0
    min_samples: int = 20

    _state: "_State" = field(default_factory=lambda: _State(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "quantile", above=0, at_most=1)
        check(self, "slack_s", at_least=0)
        check(self, "min_samples", at_least=1, whole=True)

    def bind(self, pool: Pool) -> None:
        self._state.pool = pool
        self._state.expected = ExpectedTime(pool.workers, self.quantile)

    async def run(self, call: Call, next: Next) -> Outcome:
        if call.deadline_s == inf:
            return await next(call)
        now = asyncio.get_running_loop().time()
        if self._late_s(call, now) + EARLY_TIMER_S < self.slack_s:
            return await next(call)
        if self._state.takes_probe(now):
            return await self._state.probe(call, next)
        return refusal(self.name, "its answer is expected after its deadline", retry_after_s=PROBE_S)

    def _late_s(self, call: Call, now: float) -> float:
        """How long after its deadline the answer is expected."""
        state = self._state
        if state.expected.samples(now) < self.min_samples:
            return -inf
        took_s = state.expected.answer_s(call.prompt_tokens, call.max_tokens, now)
        return -inf if took_s is None else now + took_s - call.deadline_s

    def attempt_started(self, attempt: Attempt) -> None:
        in_flight = self._state.pool.pending[attempt.worker]
        self._state.beside[attempt] = in_flight
        self._state.expected.add_start(in_flight)

    def first_token(self, attempt: Attempt) -> None:
        if attempt.call.stream and attempt.first_token_s is not None:
            now = attempt.first_token_s
            size = attempt.call.prompt_tokens
            self._state.expected.add_first(attempt.worker, size, attempt.age_s(now), now)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        in_flight = self._state.beside.pop(attempt)
        if attempt.call.stream:
            self._state.learn(attempt, in_flight, outcome, now)


@dataclass(slots=True)
class _State:
    pool: Pool = field(default_factory=Pool)
    expected: ExpectedTime = field(default_factory=lambda: ExpectedTime((), 0.5))
    beside: dict[Attempt, int] = field(default_factory=dict)  # how many each found on its worker, with itself
    probe_s: float = 0.0
    probes: set[Trail] = field(default_factory=set)  # of the calls that are out although they would be late

    def takes_probe(self, now: float) -> bool:
        if now < self.probe_s:
            return False
        self.probe_s = now + PROBE_S
        return True

    async def probe(self, call: Call, next: Next) -> Outcome:
        self.probes.add(call.trail)
        try:
            return await next(call)
        finally:
            self.probes.discard(call.trail)

    def learn(self, attempt: Attempt, in_flight: int, outcome: Outcome, now: float) -> None:
        """From an ending. A first token that came was learnt when it did."""
        size, tokens = attempt.call.prompt_tokens, attempt.tokens_so_far
        if attempt.first_token_s is None:
            first_s = attempt.age_s(now)
            if _bound(outcome, first_s, self.expected.first_s(size, now)):
                self.expected.add_first(attempt.worker, size, first_s, now)
            return
        since_s = now - attempt.first_token_s
        if outcome.answered and now < attempt.call.deadline_s and attempt.call.trail in self.probes:
            self.expected.forget(attempt.worker)  # which was to be late: what was known of it is out of date
            self.expected.add_first(attempt.worker, size, attempt.first_token_s - attempt.started_s, now)
        if lesson(outcome).latency is Sample.WHOLE:
            if tokens > 1:
                self.expected.add_each(attempt.worker, in_flight, since_s / (tokens - 1), now)
        elif _bound(outcome, since_s / tokens, self.expected.each_s(in_flight, now)):  # one gap is not over
            self.expected.add_each(attempt.worker, in_flight, since_s / tokens, now)


def _bound(outcome: Outcome, seconds: float, usual_s: float | None) -> bool:
    """Whether it is known to have taken longer than `seconds`. Shorter than usual, that would say nothing."""
    overdue = usual_s is None or seconds + EARLY_TIMER_S > usual_s
    return overdue and lesson(outcome, overdue=True).latency is Sample.AT_LEAST
