"""The first bytes of each message arrive late, then it flows: a long time to the first token, and no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic
from faults.toxiproxy.toxics.turns import Turns


@dataclass(frozen=True, slots=True)
class FirstByte(Toxic):
    """Hold the first chunk of each message for `delay` ms from when it was received.

    A message begins when the other way has spoken since the last, and after `quiet` ms of silence this way.
    What comes while the first chunk is held follows it at once.
    """

    kind: ClassVar[str] = "first_byte"
    ranges: ClassVar[Mapping[str, Range]] = {"delay": MILLISECONDS, "quiet": MILLISECONDS}
    buffer_bytes: ClassVar[int] = Latency.buffer_bytes

    delay: int = 0  # ms
    quiet: int = 0  # ms; 0: silence begins nothing

    async def pipe(self, stub: Stub) -> None:
        turns = Turns(stub, self.quiet / 1000)
        while chunk := await stub.next():
            due_s = chunk.received_s
            if turns.begins(chunk):
                due_s += self.delay / 1000
                await stub.sleep_until(due_s)
            await stub.forward(received_s=due_s)
