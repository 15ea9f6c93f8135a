"""The whole call has to end by one instant, whatever attempts it makes."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.policy import Layer, Next, Place
from policies.timers.expiry import NEVER, Expiry


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline(Layer):
    """Sets `call.deadline_s`, never later than the caller's own, and ends the call then.

    The caller's own comes in the header `X-Deadline-Ms`; what is left of it goes on to the worker in another.

    Attributes:
        total_s: longest time from here to the end of the answer; infinity leaves only the caller's deadline.
        per_token_s: so much more for each token asked for.
        reserve_s: a call with no more time left than this is refused unsent: no answer could get back.
    """

    name: ClassVar[str] = "deadline"
    meaning: ClassVar[str] = "ends a call at its caller's deadline and refuses one that is already late"
    place: ClassVar[Place | None] = Place.DEADLINE
    repeatable: ClassVar[bool] = True  # the earliest counts

    total_s: float = NEVER
    per_token_s: float = 0.0
    reserve_s: float = 0.05

    def __post_init__(self) -> None:
        check(self, "total_s", above=0)
        check(self, "per_token_s", at_least=0)
        check(self, "reserve_s", at_least=0, at_most=self.total_s)

    async def run(self, call: Call, next: Next) -> Outcome:
        now = asyncio.get_running_loop().time()
        call.deadline_s = min(call.deadline_s, now + self.total_s + self.per_token_s * call.max_tokens)
        left_s = call.deadline_s - now
        # A timer that is due on entry would swallow a cancellation already on its way (cpython#134471).
        if left_s <= self.reserve_s:
            return _timeout(f"not sent: only {max(left_s, 0):.3g} s left before the deadline")
        if left_s == NEVER:
            return await next(call)
        expiry = Expiry()
        expiry.look_at(call.deadline_s, expiry.run_out)
        try:
            return await next(call)
        except asyncio.CancelledError:
            if not expiry.stop():
                raise
            return _timeout(f"no whole answer within {left_s:.3g} s")
        finally:
            expiry.stop()


def _timeout(cause: str) -> Outcome:
    return Outcome(kind=Kind.TIMEOUT, phase="total", cause=cause, by=Deadline.name, status=504)
