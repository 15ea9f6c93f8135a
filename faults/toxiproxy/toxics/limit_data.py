"""The connection closes after so many bytes, in the middle of whatever is being said."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.chunk import End
from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import Range, Toxic


@dataclass(frozen=True, slots=True)
class LimitData(Toxic):
    """Let exactly `bytes` bytes of each connection through, then close it. 0 closes at the first data.

    What has passed before an update of the limit counts too; what passed before the toxic came does not.
    """

    kind: ClassVar[str] = "limit_data"
    ranges: ClassVar[Mapping[str, Range]] = {"bytes": (0, 2**63 - 1)}

    bytes: int = 0

    async def pipe(self, stub: Stub) -> End | None:
        while chunk := await stub.next():
            left = self.bytes - stub.passed_bytes
            if left > 0:
                await stub.forward(min(left, len(chunk.data)))
            if stub.passed_bytes >= self.bytes:
                return End.CLOSE
        return None
