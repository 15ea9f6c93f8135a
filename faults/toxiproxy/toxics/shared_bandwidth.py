"""A narrow line that all connections of a proxy share, as all callers of one machine do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import Range, Toxic

_PIECE_S = 0.02  # longest time that a piece stands for; each connection waits for one of every other


@dataclass(slots=True)
class Line:
    """One line, used by one piece at a time."""

    free_s: float = 0.0  # loop time

    def take(self, now_s: float, for_s: float) -> float:
        """Use the line for so long, behind all who came before; when that is over."""
        self.free_s = max(self.free_s, now_s) + for_s
        return self.free_s


@dataclass(frozen=True, slots=True)
class SharedBandwidth(Toxic):
    """Let `rate` KB/s (KB = 1000 bytes) through on all connections together, in turns. Rate 0 holds all back.

    Other attributes make another line, on which what was under way begins anew.
    """

    kind: ClassVar[str] = "shared_bandwidth"
    ranges: ClassVar[Mapping[str, Range]] = {"rate": (0, 10**9)}

    rate: int = 0  # KB/s
    line: Line = field(default_factory=Line, init=False, compare=False, repr=False)

    async def pipe(self, stub: Stub) -> None:
        bytes_per_s = self.rate * 1000
        while chunk := await stub.next():
            if not bytes_per_s:
                await stub.sleep_until(float("inf"))
            size = min(len(chunk.data), max(1, int(bytes_per_s * _PIECE_S)))
            await stub.sleep_until(self.line.take(stub.now(), size / bytes_per_s))
            await stub.forward(size)
