"""The contract of a toxic, which as it stands is the toxic that does nothing."""

from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub

MAX_MS = 2**31 - 1  # about 25 days; beyond it a number is a slip of the pen


@dataclass(frozen=True, slots=True)
class Toxic:
    """Attributes as data, named and ordered as on Toxiproxy's wire, and one method.

    Attributes are whole numbers with a default; `__post_init__` raises ValueError for one out of range.
    """

    kind: ClassVar[str] = "noop"
    buffer_bytes: ClassVar[int] = 0  # taken in ahead of the next chunk; 0 passes pressure on to the sender
    closes_on_removal: ClassVar[bool] = False  # what it swallowed is lost, so the stream cannot go on

    async def pipe(self, stub: Stub) -> None:
        """Move chunks from inbox to outlet until the stream ends; return earlier to close the connection.

        May be cancelled at any await: keep nothing in local variables that the stream cannot spare.
        """
        while await stub.next():
            await stub.forward()


def check_range(name: str, value: int, low: int, high: int) -> None:
    """ValueError unless low <= value <= high."""
    if not low <= value <= high:
        raise ValueError(f"{name}: expected a whole number from {low} to {high}, got {value}")
