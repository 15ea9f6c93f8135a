"""The connection ends after a while, whatever flows on it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.chunk import End
from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic


@dataclass(frozen=True, slots=True)
class Cut(Toxic):
    """Close the connection `after` ms, counted from when it reached the worker; what is held then is lost.

    On a connection that is older already it works at once.
    """

    kind: ClassVar[str] = "cut"
    ranges: ClassVar[Mapping[str, Range]] = {"after": MILLISECONDS}

    after: int = 0  # ms

    async def pipe(self, stub: Stub) -> End | None:
        try:
            async with asyncio.timeout_at(stub.course.began_s + self.after / 1000):
                return await Toxic.pipe(self, stub)
        except TimeoutError:
            return End.CLOSE
