"""The contract of a toxic, which as it stands is the toxic that does nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

from faults.toxiproxy.chunk import End
from faults.toxiproxy.stub import Stub

Range = tuple[int, int]  # lowest and highest

MILLISECONDS: Range = (0, 2**31 - 1)  # about 25 days; beyond it a number is a slip of the pen


@dataclass(frozen=True, slots=True)
class Toxic:
    """Attributes as data, named and ordered as on Toxiproxy's wire, and one method.

    Attributes are whole numbers with a default; ValueError for one outside of `ranges`.
    """

    kind: ClassVar[str] = "noop"
    ranges: ClassVar[Mapping[str, Range]] = {}  # what each attribute may be
    buffer_bytes: ClassVar[int] = 0  # taken in ahead of the next chunk; 0 passes pressure on to the sender
    closes_on_removal: ClassVar[bool] = False  # what it swallowed is lost, so the stream cannot go on
    resets: ClassVar[bool] = False  # it may end a connection by a reset
    crashing: ClassVar[frozenset[str]] = frozenset()  # attributes that bring the original down out of range

    def __post_init__(self) -> None:
        for name, (low, high) in self.ranges.items():
            check_range(name, getattr(self, name), low, high)

    def attributes(self) -> dict[str, int]:
        """By name, in the order of the wire."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}

    async def pipe(self, stub: Stub) -> End | None:
        """Move chunks from inbox to outlet until the stream ends, and give None: its ending goes on.

        Return earlier to close the connection, or return how the connection is to end, whatever is in the
        inbox. May be cancelled at any await: keep nothing in local variables that the stream cannot spare.
        """
        while await stub.next():
            await stub.forward()
        return None


def check_range(name: str, value: int, low: int, high: int) -> None:
    """ValueError unless low <= value <= high."""
    if not low <= value <= high:
        raise ValueError(f"{name}: expected a whole number from {low} to {high}, got {value}")
