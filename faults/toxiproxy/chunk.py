"""What travels along a link: pieces of the stream, then exactly one ending; and what it travels between."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes as they were read from a socket, or a part of them."""

    data: bytes | memoryview  # at least one byte; a view where a longer chunk was cut, which copies nothing
    received_s: float  # loop time; a toxic that delays a chunk moves it on by the delay


class End(Enum):
    """How a stream ends."""

    EOF = "no more data this way; the other way stays open"
    CLOSE = "close the whole connection"
    RESET = "break the whole connection: both peers see a reset, and nothing more arrives"


Item = Chunk | End


class Inlet(Protocol):
    """Where items come from."""

    def wake(self) -> None:
        """There may be room again."""


class Outlet(Protocol):
    """Where items go to."""

    @property
    def has_room(self) -> bool: ...

    def put(self, item: Item) -> None:
        """Take the item, with room or without."""
