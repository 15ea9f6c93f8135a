"""Failures take a token each, successes bring back a fraction, and no retry is made at half or below.

tokens start at max_tokens; -1 for a failure, not below 0; +token_ratio for a success, not above max_tokens; a
retry or hedge needs tokens > max_tokens / 2.

Source: gRPC proposal A6, "Throttling retry attempts and hedged RPCs".
"""

from dataclasses import dataclass, field

from policies.evidence import Credit
from policies.retries.account import Account, Rule


@dataclass(slots=True)
class GrpcBudget(Rule, Account):
    """One for all calls. A retry itself costs nothing: the failure before it did."""

    max_tokens: float
    token_ratio: float
    tokens: float = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = self.max_tokens

    def open(self, now: float) -> Account:
        return self

    def take(self, now: float) -> bool:
        return self.tokens > self.max_tokens / 2

    def learn(self, credit: Credit, *, busy: bool = False) -> None:
        match credit:
            case Credit.DEPOSIT:
                self.tokens = min(self.max_tokens, self.tokens + self.token_ratio)
            case Credit.WITHDRAW:
                self.tokens = max(0.0, self.tokens - 1)
