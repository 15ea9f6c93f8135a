"""A healthy tier upstream of the gateway: a bounded number of slots, and local routes of its own.

A request holds a slot until its answer has ended, whether it waits for a worker or is served here. That is
how slowness travels: whoever waits for the slow worker holds a slot that everybody else needs.
"""

import asyncio
from collections import OrderedDict

from harness.serving.openai_api import LOCAL
from harness.serving.recorder import Recorder
from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.policy import Next


class Service:
    """Passes inference on to `next` and answers local requests itself, each in one of `slots`."""

    def __init__(
        self, name: str, slots: int, next: Next, recorder: Recorder, local_work_s: float = 0.002
    ) -> None:
        if slots < 1:
            raise ValueError(f"service '{name}' needs at least 1 slot, got {slots}")
        self.name = name
        self.slots = slots
        self.in_use = 0
        self._next = next
        self._recorder = recorder
        self._local_work_s = local_work_s
        self._line: OrderedDict[asyncio.Future[None], None] = OrderedDict()  # first come, first served

    @property
    def waiting(self) -> int:
        """Requests without a slot."""
        return len(self._line)

    async def handle(self, call: Call) -> Outcome:
        """Wait for a slot, as long as it takes, and serve the call in it."""
        arrived_s, granted_s = self._recorder.now(), None
        kind = Kind.ABANDONED
        try:
            if self.in_use < self.slots:
                self.in_use += 1
            else:
                await self._wait()
            granted_s = self._recorder.now()
            try:
                outcome = await (self._serve_here(call) if call.route == LOCAL else self._next(call))
            finally:
                self._pass_on()
            kind = outcome.kind
            return outcome
        finally:
            self._recorder.visit(self.name, call.id, arrived_s, granted_s, kind)

    def sample(self) -> None:
        self._recorder.gauge(self.name, {"in_use": self.in_use, "waiting": self.waiting})

    async def _wait(self) -> None:
        """Until whoever leaves hands a slot over."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line[turn] = None
        try:
            await turn
        except asyncio.CancelledError:
            self._line.pop(turn, None)
            if not turn.cancelled():  # the slot came in the very tick of the cancellation
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a slot back: to the first in line who still waits."""
        while self._line:
            turn, _ = self._line.popitem(last=False)
            if not turn.done():  # cancelled, but not yet awake to leave by itself
                turn.set_result(None)
                return
        self.in_use -= 1

    async def _serve_here(self, call: Call) -> Outcome:
        await asyncio.sleep(self._local_work_s)
        call.sink(Chunk(b'{"served":"locally"}', tokens=0))
        return OK
