"""A narrow line that all connections of a proxy share, as all callers of one machine do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.bandwidth import READ_AHEAD_BYTES
from faults.toxiproxy.toxics.line import Line
from faults.toxiproxy.toxics.toxic import Range, Toxic

_PIECE_S = 0.02  # longest time that a piece stands for; each connection waits for one of every other


@dataclass(frozen=True, slots=True)
class SharedBandwidth(Toxic):
    """Let `rate` KB/s (KB = 1000 bytes) through on all connections together, in turns. Rate 0 holds all back.

    Other attributes make another line, on which what was under way begins anew.
    """

    kind: ClassVar[str] = "shared_bandwidth"
    ranges: ClassVar[Mapping[str, Range]] = {"rate": (0, 10**9)}
    buffer_bytes: ClassVar[int] = READ_AHEAD_BYTES

    rate: int = 0  # KB/s
    line: Line = field(default_factory=Line, init=False, compare=False, repr=False)

    async def pipe(self, stub: Stub) -> None:
        bytes_per_s = self.rate * 1000
        while chunk := await stub.next():
            if not bytes_per_s:
                await stub.sleep_until(float("inf"))
            size = min(len(chunk.data), max(1, int(bytes_per_s * _PIECE_S)))
            await stub.sleep_until(self.line.take(size / bytes_per_s, chunk.received_s, stub.now()))
            await stub.forward(size)
