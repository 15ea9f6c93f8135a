"""A narrow line: bytes leave no faster than a rate, for each connection and direction on its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.line import Line
from faults.toxiproxy.toxics.toxic import Range, Toxic

READ_AHEAD_BYTES = 96 * 1024  # so that one more read comes meanwhile: the line must not wait for it
_PIECE_S = 0.1  # longest time that a piece stands for, as in the original


@dataclass(frozen=True, slots=True)
class Bandwidth(Toxic):
    """Let `rate` KB/s through (KB = 1000 bytes), in pieces of at most 100 ms. Rate 0 holds all back."""

    kind: ClassVar[str] = "bandwidth"
    ranges: ClassVar[Mapping[str, Range]] = {"rate": (0, 10**9)}
    buffer_bytes: ClassVar[int] = READ_AHEAD_BYTES
    crashing: ClassVar[frozenset[str]] = frozenset({"rate"})

    rate: int = 0  # KB/s

    async def pipe(self, stub: Stub) -> None:
        bytes_per_s = self.rate * 1000
        line = Line()
        while chunk := await stub.next():
            if not bytes_per_s:
                await stub.sleep_until(float("inf"))
            size = min(len(chunk.data), int(bytes_per_s * _PIECE_S))
            await stub.sleep_until(line.take(size / bytes_per_s, chunk.received_s, stub.now()))
            await stub.forward(size)
