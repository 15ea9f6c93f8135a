"""Every chunk arrives later; how fast chunks follow each other does not change."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic


@dataclass(frozen=True, slots=True)
class Latency(Toxic):
    """Hold each chunk for `latency` ms, give or take up to `jitter` ms, counted from when it was received.

    Order is kept, so in a burst with jitter later chunks wait for the slowest before them.
    """

    kind: ClassVar[str] = "latency"
    ranges: ClassVar[Mapping[str, Range]] = {"latency": MILLISECONDS, "jitter": MILLISECONDS}
    buffer_bytes: ClassVar[int] = 32 * 1024 * 1024  # a long line holds much; less would make it a narrow line

    latency: int = 0  # ms
    jitter: int = 0  # ms, uniform in [-jitter, +jitter)

    async def pipe(self, stub: Stub) -> None:
        while chunk := await stub.next():
            due_s = chunk.received_s + self.delay_s(stub.rng)
            await stub.sleep_until(due_s)
            await stub.forward(received_s=due_s)  # so that a second latency adds to this one

    def delay_s(self, rng: random.Random) -> float:
        """Seconds for one chunk, never negative."""
        if not self.jitter:
            return self.latency / 1000
        return max(0.0, self.latency + rng.uniform(-self.jitter, self.jitter)) / 1000
