"""The connection breaks as when a peer crashes: both ends see a reset instead of an orderly end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.chunk import End
from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import MILLISECONDS, Range, Toxic


@dataclass(frozen=True, slots=True)
class ResetPeer(Toxic):
    """Reset `timeout` ms after the first data or the end of the stream. An idle connection lives on.

    Nothing passes meanwhile, and nothing is lost before the reset: removing the toxic in time lets it go on.
    """

    kind: ClassVar[str] = "reset_peer"
    ranges: ClassVar[Mapping[str, Range]] = {"timeout": MILLISECONDS}
    resets: ClassVar[bool] = True

    timeout: int = 0  # ms

    async def pipe(self, stub: Stub) -> End:
        first = await stub.next()
        since_s = first.received_s if first else stub.now()
        await stub.sleep_until(since_s + self.timeout / 1000)
        return End.RESET
