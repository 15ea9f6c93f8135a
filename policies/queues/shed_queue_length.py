"""A bounded number of calls at once, a bounded line behind them, and a plain no to the rest."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.outcome import Kind, Outcome
from policies.policy import Layer, Next

RETRY_AFTER_S = 1.0  # a bounded line moves on within a second, or the pool is too small


@dataclass(frozen=True, slots=True, kw_only=True)
class ShedQueueLength(Layer):
    """First come, first served. A permit is held to the end of the call and passed straight to the next.

    Attributes:
        max_concurrent: calls inside at once.
        max_queue: calls that may wait for a permit; whoever comes after is refused at once.
    """

    name: ClassVar[str] = "shed_queue_length"
    meaning: ClassVar[str] = "bounds calls at once and in line, refuses the rest, drops the expired unsent"

    max_concurrent: int = 64
    max_queue: int = 128

    _line: "_Line" = field(default_factory=lambda: _Line(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "max_concurrent", at_least=1, whole=True)
        check(self, "max_queue", at_least=0, whole=True)

    @property
    def waiting(self) -> int:
        """Calls in line now."""
        return len(self._line.waiters)

    async def run(self, call: Call, next: Next) -> Outcome:
        refusal = await self._admit(call)
        if refusal is not None:
            return refusal
        try:
            return await next(call)
        finally:
            self._line.pass_on()

    async def _admit(self, call: Call) -> Outcome | None:
        """Take a permit, waiting in line if need be, or say why not."""
        if self._line.running < self.max_concurrent:
            self._line.running += 1
            return None
        if self.waiting >= self.max_queue:
            return _refusal(Kind.REJECTED, "admission", f"{self.waiting} calls already wait", 503)
        if await self._line.wait(call.deadline_s):
            return None
        return _refusal(Kind.TIMEOUT, "queue", "its deadline passed while it waited", 504)


class _Line:
    """Permits in use, and those who wait for one with their deadlines, in order of arrival."""

    def __init__(self) -> None:
        self.running = 0
        self.waiters: OrderedDict[asyncio.Future[bool], float] = OrderedDict()

    async def wait(self, deadline_s: float) -> bool:
        """True with a permit, False if the deadline had passed when the turn came."""
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.waiters[turn] = deadline_s
        try:
            return await turn
        except asyncio.CancelledError:
            self._leave(turn)
            raise

    def pass_on(self) -> None:
        """Give a permit back: to the first in line whose answer is still wanted."""
        self.running -= 1
        if not self.waiters:
            return
        now = asyncio.get_running_loop().time()
        while self.waiters:
            turn, deadline_s = self.waiters.popitem(last=False)
            if turn.done():  # cancelled, but not yet awake to leave by itself
                continue
            turn.set_result(now < deadline_s)
            if now < deadline_s:
                self.running += 1
                return

    def _leave(self, turn: asyncio.Future[bool]) -> None:
        self.waiters.pop(turn, None)
        if not turn.cancelled() and turn.result():  # the permit came in the very tick of the cancellation
            self.pass_on()


def _refusal(kind: Kind, phase: str, cause: str, status: int) -> Outcome:
    wait_s = RETRY_AFTER_S if kind is Kind.REJECTED else None
    return Outcome(
        kind=kind, phase=phase, cause=cause, by=ShedQueueLength.name, status=status, retry_after_s=wait_s
    )
