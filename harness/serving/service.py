"""A healthy tier upstream of the gateway: a bounded number of slots, and local routes of its own.

A request holds a slot until its answer has ended, whether it waits for a worker or is served here. That is
how slowness travels: whoever waits for the slow worker holds a slot that everybody else needs.
"""

import asyncio

from harness.serving.openai_api import LOCAL
from harness.serving.recorder import Recorder
from policies.outcome import OK, Kind, Outcome
from policies.policy import Call, Chunk, Next


class Service:
    """Passes inference on to `next` and answers local requests itself, each in one of `slots`."""

    def __init__(
        self, name: str, slots: int, next: Next, recorder: Recorder, local_work_s: float = 0.002
    ) -> None:
        if slots < 1:
            raise ValueError(f"service '{name}' needs at least 1 slot, got {slots}")
        self.name = name
        self.slots = slots
        self.waiting = 0
        self.in_use = 0
        self._next = next
        self._recorder = recorder
        self._local_work_s = local_work_s
        self._free = asyncio.Semaphore(slots)  # first come, first served

    async def handle(self, call: Call) -> Outcome:
        """Wait for a slot, as long as it takes, and serve the call in it."""
        arrived_s, granted_s = self._recorder.now(), None
        kind = Kind.ABANDONED
        try:
            if self._free.locked():
                await self._wait()
            else:
                await self._free.acquire()  # which does not wait
            self.in_use += 1
            granted_s = self._recorder.now()
            try:
                outcome = await (self._serve_here(call) if call.route == LOCAL else self._next(call))
            finally:
                self.in_use -= 1
                self._free.release()
            kind = outcome.kind
            return outcome
        finally:
            self._recorder.visit(self.name, call.id, arrived_s, granted_s, kind)

    def sample(self) -> None:
        self._recorder.gauge(self.name, {"in_use": self.in_use, "waiting": self.waiting})

    async def _wait(self) -> None:
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1

    async def _serve_here(self, call: Call) -> Outcome:
        await asyncio.sleep(self._local_work_s)
        call.sink(Chunk(b'{"served":"locally"}', tokens=0))
        return OK
