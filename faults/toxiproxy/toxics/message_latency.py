"""Every message arrives later as a whole: its jitter is drawn once, so bursts do not drift to the longest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic
from faults.toxiproxy.toxics.turns import Turns


@dataclass(frozen=True, slots=True)
class MessageLatency(Toxic):
    """Hold all chunks of a message for the same `latency` ms, give or take up to `jitter` ms.

    With `latency` each chunk draws for itself and order is kept, so that a burst waits for its slowest
    chunk. Here the mean is `latency`; ValueError for a jitter above it, since no delay is negative. A
    message begins when the other way has spoken since the last, and after `quiet` ms of silence this way.
    """

    kind: ClassVar[str] = "message_latency"
    ranges: ClassVar[Mapping[str, Range]] = {
        "latency": MILLISECONDS,
        "jitter": MILLISECONDS,
        "quiet": MILLISECONDS,
    }
    buffer_bytes: ClassVar[int] = Latency.buffer_bytes

    latency: int = 0  # ms
    jitter: int = 0  # ms, uniform in [-jitter, +jitter)
    quiet: int = 0  # ms; 0: silence begins nothing

    def __post_init__(self) -> None:
        Toxic.__post_init__(self)  # a class with slots has no super() in Python 3.11
        if self.jitter > self.latency:
            raise ValueError(f"jitter: expected at most latency ({self.latency}), got {self.jitter}")

    async def pipe(self, stub: Stub) -> None:
        turns = Turns(stub, self.quiet / 1000)
        delay_s = self.latency / 1000
        while chunk := await stub.next():
            if turns.begins(chunk):
                delay_s = (self.latency + stub.rng.uniform(-self.jitter, self.jitter)) / 1000
            due_s = chunk.received_s + delay_s
            await stub.sleep_until(due_s)
            await stub.forward(received_s=due_s)
