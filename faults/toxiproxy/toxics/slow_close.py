"""Data passes as it comes; only the news that the stream has ended is late."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic


@dataclass(frozen=True, slots=True)
class SlowClose(Toxic):
    """Hold back the end of the stream for `delay` ms."""

    kind: ClassVar[str] = "slow_close"
    ranges: ClassVar[Mapping[str, Range]] = {"delay": MILLISECONDS}

    delay: int = 0  # ms

    async def pipe(self, stub: Stub) -> None:
        while await stub.next():
            await stub.forward()
        await stub.sleep_until(stub.now() + self.delay / 1000)
