"""What all retries and hedges of a pipeline together may add to its load, by one of four published rules."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_word
from policies.call import Attempt, Call
from policies.evidence import lesson
from policies.outcome import Kind, Outcome
from policies.policy import Layer, Next, Place
from policies.retries.account import Account, Rule
from policies.retries.aws_budget import AwsBudget
from policies.retries.envoy_budget import EnvoyBudget
from policies.retries.finagle_budget import FinagleBudget
from policies.retries.grpc_budget import GrpcBudget

MOST_RATIO = 1000.0  # further attempts for each call, Finagle's own bound


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryBudget(Layer):
    """Gives each call an account, of which retry and hedge ask before every attempt beyond the first.

    Attributes:
        mode: whose rule.
        ratio: finagle: retries for each call begun. envoy: for each call in progress.
        min_per_sec: finagle: retries a second that are free.
        ttl_s: finagle: for so long calls and retries count.
        min_retry_concurrency: envoy: so many retries at once are free.
        max_tokens, token_ratio: grpc: the most tokens, and what a success brings; a failure takes 1.
        capacity, retry_cost, throttled_cost, success_refund: aws: the most tokens, what a retry takes after a
            failure and after an overload, and what a call brings that succeeds without a retry.
    """

    name: ClassVar[str] = "retry_budget"
    meaning: ClassVar[str] = "bounds what retries and hedges add: finagle, envoy, grpc or aws rule"
    place: ClassVar[Place | None] = Place.BUDGET

    mode: str = "finagle"
    ratio: float = 0.1
    min_per_sec: float = 0.2
    ttl_s: float = 10.0
    min_retry_concurrency: int = 3
    max_tokens: float = 10.0
    token_ratio: float = 0.1
    capacity: int = 500
    retry_cost: int = 14
    throttled_cost: int = 5
    success_refund: int = 1

    rule: Rule = field(init=False, repr=False, compare=False)  # what all calls share

    def __post_init__(self) -> None:
        check(self, "ratio", at_least=0, at_most=MOST_RATIO)
        check(self, "min_per_sec", at_least=0)
        check(self, "ttl_s", above=0, at_most=3600)
        check(self, "min_retry_concurrency", "capacity", at_least=0, whole=True)
        check(self, "retry_cost", "throttled_cost", "success_refund", at_least=0, whole=True)
        check(self, "max_tokens", above=0)
        check(self, "token_ratio", at_least=0)
        check_word(self, "mode", of=MODES)
        object.__setattr__(self, "rule", MODES[self.mode](self))

    async def run(self, call: Call, next: Next) -> Outcome:
        now = asyncio.get_running_loop().time()
        before, account = call.budget, self.rule.open(now)
        call.budget = account
        try:
            return await next(call)
        finally:
            account.close()
            call.budget = before

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        account = attempt.call.budget
        if isinstance(account, Account):
            account.learn(lesson(outcome).budget, busy=outcome.kind is Kind.OVERLOAD)


MODES: dict[str, Callable[[RetryBudget], Rule]] = {
    "finagle": lambda budget: FinagleBudget(budget.ratio, budget.min_per_sec, budget.ttl_s),
    "envoy": lambda budget: EnvoyBudget(budget.ratio, budget.min_retry_concurrency),
    "grpc": lambda budget: GrpcBudget(budget.max_tokens, budget.token_ratio),
    "aws": lambda budget: AwsBudget(
        budget.capacity, budget.retry_cost, budget.throttled_cost, budget.success_refund
    ),
}
