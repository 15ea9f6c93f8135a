"""A new connection carries nothing for a while; one that stands is as fast as ever."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic


@dataclass(frozen=True, slots=True)
class SlowAccept(Toxic):
    """Hold all data until the connection is `delay` ms old, counted from when it reached the worker.

    To the caller it looks as if the connection were accepted late. Unlike a proxy's `accept_delay_ms` it has
    a time limit and a toxicity, and the worker sees the connection at once.
    """

    kind: ClassVar[str] = "slow_accept"
    ranges: ClassVar[Mapping[str, Range]] = {"delay": MILLISECONDS}

    delay: int = 0  # ms

    async def pipe(self, stub: Stub) -> None:
        await stub.sleep_until(stub.course.began_s + self.delay / 1000)
        await Toxic.pipe(self, stub)
