"""The whole call has to end by one instant, whatever attempts it makes."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.outcome import Kind, Outcome
from policies.policy import Call, Layer, Next


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline(Layer):
    """Sets `call.deadline_s`, never later than the caller's own, and ends the call then.

    Attributes:
        total_s: longest time from here to the end of the answer; infinity leaves only the caller's deadline.
        reserve_s: a call with no more time left than this is refused unsent: no answer could get back.
    """

    name: ClassVar[str] = "deadline"
    meaning: ClassVar[str] = "ends the whole call at one instant and refuses calls that are already late"

    total_s: float = 120.0
    reserve_s: float = 0.05

    def __post_init__(self) -> None:
        check(self, "total_s", above=0)
        check(self, "reserve_s", at_least=0, at_most=self.total_s)

    async def run(self, call: Call, next: Next) -> Outcome:
        now = asyncio.get_running_loop().time()
        call.deadline_s = min(call.deadline_s, now + self.total_s)
        left_s = call.deadline_s - now
        # A timer that is due on entry would swallow a cancellation already on its way (cpython#134471).
        if left_s <= self.reserve_s:
            return _timeout(f"not sent: only {max(left_s, 0):.3g} s left before the deadline")
        try:
            async with asyncio.timeout_at(None if left_s == float("inf") else call.deadline_s) as timer:
                return await next(call)
        except TimeoutError:
            if not timer.expired():
                raise
            return _timeout(f"no whole answer within {left_s:.3g} s")


def _timeout(cause: str) -> Outcome:
    return Outcome(kind=Kind.TIMEOUT, phase="total", cause=cause, by=Deadline.name, status=504)
