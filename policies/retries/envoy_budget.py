"""A share of the calls in progress may be on a further attempt at once.

A retry needs retries in progress < max(min_retry_concurrency, floor(ratio * calls in progress)). It is in
progress from its permission to its end. The bound grows when calls pile up, so when they get slow.

Source: Envoy `RetryPolicy.RetryBudget` (budget_percent, min_retry_concurrency) and its `canCreate`.
"""

from dataclasses import dataclass

from policies.evidence import Credit
from policies.retries.account import ALMOST, Account, Rule


@dataclass(slots=True)
class EnvoyBudget(Rule):
    """`calls` and `retries` are those in progress."""

    ratio: float
    min_retry_concurrency: int
    calls: int = 0
    retries: int = 0

    @property
    def most_retries(self) -> int:
        return max(self.min_retry_concurrency, int(self.ratio * self.calls + ALMOST))

    def open(self, now: float) -> Account:
        self.calls += 1
        return _Account(self)


@dataclass(slots=True, eq=False)
class _Account(Account):
    rule: EnvoyBudget
    retries: int = 0  # of this call

    def take(self, now: float) -> bool:
        if self.rule.retries >= self.rule.most_retries:
            return False
        self._hold(1)
        return True

    def learn(self, credit: Credit, *, busy: bool = False) -> None:
        if self.retries:  # whichever of its attempts ended, one fewer goes on beyond the first
            self._hold(-1)

    def close(self) -> None:
        self._hold(-self.retries)
        self.rule.calls -= 1

    def _hold(self, more: int) -> None:
        self.retries += more
        self.rule.retries += more
