"""A black hole: what is sent is lost, and after a silence the connection closes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic


@dataclass(frozen=True, slots=True)
class Timeout(Toxic):
    """Drop all data; close after `timeout` ms without any. 0 never closes.

    It is an idle timer, as in the original: data starts it afresh. Removing the toxic closes the
    connections it sat on, since bytes are missing in them.
    """

    kind: ClassVar[str] = "timeout"
    ranges: ClassVar[Mapping[str, Range]] = {"timeout": MILLISECONDS}
    closes_on_removal: ClassVar[bool] = True

    timeout: int = 0  # ms

    async def pipe(self, stub: Stub) -> None:
        while await stub.next(limit_s=self.timeout / 1000 or None):
            stub.drop()
