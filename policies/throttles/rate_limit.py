"""So much and no more, for each caller or for all: a guard that knows nothing of how the pool is doing."""

import asyncio
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

from policies.bounds import check, check_word
from policies.call import Call
from policies.outcome import Outcome
from policies.policy import Layer, Next
from policies.refusal import TOO_MANY_REQUESTS, refusal
from policies.throttles.generic_cell_rate import GenericCellRate

KEYS = ("caller", "all")
COSTS = ("request", "tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit(Layer):
    """A token bucket. What was let in has been paid for, however it ends; what was refused costs nothing.

    Attributes:
        rate_per_s: what comes back, in units of `cost` per second.
        burst: what may be taken at once after a pause.
        key: whose bucket it is: each `caller` has one, or one for `all`.
        cost: of a call: 1 for a `request`, or its `tokens`, prompt and the most it may answer.
    """

    name: ClassVar[str] = "rate_limit"
    meaning: ClassVar[str] = "lets through so many requests or tokens a second, refuses the rest"
    repeatable: ClassVar[bool] = True  # one by requests and one by tokens, one each and one for all

    rate_per_s: float = 20.0
    burst: float = 40.0
    key: str = "caller"
    cost: str = "request"

    _buckets: GenericCellRate = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "rate_per_s", at_least=1e-6, at_most=1e9)
        check(self, "burst", at_least=1, at_most=1e9)
        check_word(self, "key", of=KEYS)
        check_word(self, "cost", of=COSTS)
        object.__setattr__(self, "_buckets", GenericCellRate(self.rate_per_s, self.burst))

    async def run(self, call: Call, next: Next) -> Outcome:
        return self._refuse(call, asyncio.get_running_loop().time()) or await next(call)

    def _refuse(self, call: Call, now: float) -> Outcome | None:
        """Pay for the call, or say why not."""
        key = call.caller if self.key == "caller" else ""
        cost = call.prompt_tokens + call.max_tokens if self.cost == "tokens" else 1
        wait_s = self._buckets.wait_s(key, cost, now)
        if not wait_s:
            self._buckets.take(key, cost, now)
            return None
        if wait_s == inf:
            cause = f"{cost:,} {self.cost} are more than the burst of {self.burst:,g}: it can never pass"
            return refusal(self.name, cause, status=TOO_MANY_REQUESTS, retry_after_s=None)
        whose = f"caller {key!r}" if self.key == "caller" else "all callers together"
        cause = f"{whose} may use {self.rate_per_s:,g} {_plural(self.cost)} a second"
        return refusal(self.name, cause, status=TOO_MANY_REQUESTS, retry_after_s=wait_s)


def _plural(cost: str) -> str:
    return "requests" if cost == "request" else cost
