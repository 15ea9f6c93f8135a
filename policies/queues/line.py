"""The waiting line: so many calls inside at once, the others wait for a permit in the order of a discipline.

- `fifo`: first come, first served.
- `lifo`: the newest first. Under overload somebody is served in time; the oldest starve.
- `adaptive_lifo`: the newest first while there is a backlog, else first come, first served. A backlog is
  more calls waiting than inside: the last would wait longer than a whole call takes. (HHVM's
  `ServerThreadJobLIFOThreshold`, a length of the queue too; Facebook, Fail at Scale, 2015.)
"""

import asyncio
from collections import OrderedDict
from enum import Enum, auto
from math import inf
from typing import Literal, NamedTuple, TypeAlias, get_args

from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.policy import Next
from policies.queues.codel import Codel
from policies.refusal import refusal

Discipline: TypeAlias = Literal["fifo", "lifo", "adaptive_lifo"]
DISCIPLINES: tuple[str, ...] = get_args(Discipline)


class Turn(Enum):
    """How a wait ends, unless its caller leaves."""

    GRANTED = auto()
    EXPIRED = auto()
    DROPPED = auto()


class Waiter(NamedTuple):
    """One that waits."""

    since_s: float
    deadline_s: float


class Line:
    """Permits in use, and those who wait for one.

    A permit is held to the end of the call and passed straight to the next. What expired in the line is
    dropped when a permit comes back or its place is needed, and never sent.
    """

    def __init__(
        self,
        name: str,
        max_concurrent: int,
        max_queue: float = inf,
        discipline: Discipline = "fifo",
        codel: Codel | None = None,
    ) -> None:
        self.running = 0
        self.waiters: OrderedDict[asyncio.Future[Turn], Waiter] = OrderedDict()  # in order of arrival
        self._name = name
        self._max_concurrent = max_concurrent
        self._max_queue = max_queue
        self._discipline = discipline
        self._codel = codel

    async def run(self, call: Call, next: Next) -> Outcome:
        """Take a call inside, after a wait if need be, or say why not."""
        refusal = await self._enter(call)
        if refusal is not None:
            return refusal
        try:
            return await next(call)
        finally:
            self._pass_on()

    async def _enter(self, call: Call) -> Outcome | None:
        if self.running < self._max_concurrent:
            self.running += 1
            if self._codel is not None:
                self._codel.drops(0.0, asyncio.get_running_loop().time())
            return None
        if self._is_full():
            return refusal(self._name, f"{len(self.waiters)} calls already wait")
        match await self._wait(call.deadline_s):
            case Turn.EXPIRED:
                cause = "its deadline passed while it waited"
                return Outcome(kind=Kind.TIMEOUT, phase="queue", cause=cause, by=self._name, status=504)
            case Turn.DROPPED:
                cause = "it waited too long in a line that does not empty"
                return refusal(self._name, cause, phase="queue")
        return None

    def _is_full(self) -> bool:
        if len(self.waiters) >= self._max_queue:
            self._drop_stale(asyncio.get_running_loop().time(), None)
        return len(self.waiters) >= self._max_queue

    async def _wait(self, deadline_s: float) -> Turn:
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Turn] = loop.create_future()
        self.waiters[turn] = Waiter(loop.time(), deadline_s)
        try:
            return await turn
        except asyncio.CancelledError:
            self.waiters.pop(turn, None)
            if not turn.cancelled() and turn.result() is Turn.GRANTED:  # in the very tick of the cancellation
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a permit back: to the next in line whose answer is still wanted."""
        self.running -= 1
        if not self.waiters:
            return
        now = asyncio.get_running_loop().time()
        self._drop_stale(now, self._codel)
        while self.waiters:
            turn, waiter = self.waiters.popitem(last=self._newest_first())
            if turn.done():  # cancelled, but not yet awake to leave by itself
                continue
            if now < waiter.deadline_s:
                turn.set_result(Turn.GRANTED)
                self.running += 1
                return
            turn.set_result(Turn.EXPIRED)

    def _drop_stale(self, now: float, codel: Codel | None) -> None:
        """From the old end, where newest first may never get to."""
        while self.waiters:
            turn, waiter = next(iter(self.waiters.items()))
            if not turn.done():
                if now >= waiter.deadline_s:
                    turn.set_result(Turn.EXPIRED)
                elif codel is not None and codel.drops(now - waiter.since_s, now):
                    turn.set_result(Turn.DROPPED)
                else:
                    return
            del self.waiters[turn]

    def _newest_first(self) -> bool:
        if self._discipline == "adaptive_lifo":
            return len(self.waiters) > self._max_concurrent
        return self._discipline == "lifo"
