"""A store of tokens that retries use up and successes fill again.

A retry costs `retry_cost`, after an overload `throttled_cost`; a success brings back what the latest retry of
its call cost, or `success_refund` if it needed none; never above `capacity`.

Source: botocore's standard retry mode, `RetryQuotaChecker` (1.44.8; older releases had other costs).
"""

from dataclasses import dataclass, field

from policies.evidence import Credit
from policies.retries.account import Account, Rule


@dataclass(slots=True)
class AwsBudget(Rule):
    """`left`: of `capacity`."""

    capacity: int
    retry_cost: int
    throttled_cost: int
    success_refund: int
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.capacity

    def open(self, now: float) -> Account:
        return _Account(self)

    def refund(self, amount: int) -> None:
        self.left = min(self.capacity, self.left + amount)


@dataclass(slots=True, eq=False)
class _Account(Account):
    rule: AwsBudget
    cost: int = 0  # of its latest retry, until a success brings that back
    busy: bool = False  # its latest attempt met an overloaded worker

    def take(self, now: float) -> bool:
        cost = self.rule.throttled_cost if self.busy else self.rule.retry_cost
        if cost > self.rule.left:
            return False
        self.rule.left -= cost
        self.cost = cost
        return True

    def learn(self, credit: Credit, *, busy: bool = False) -> None:
        self.busy = busy
        if credit is Credit.DEPOSIT:
            self.rule.refund(self.cost or self.rule.success_refund)
            self.cost = 0
