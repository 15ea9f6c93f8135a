"""The one place where Toxiproxy's words for direction meet ours.

Toxiproxy calls the stream that flows from the client to the server "upstream". Here upstream is towards
the caller, so the code says `to_worker` and `to_caller`, and only this table knows the other words.
"""

from enum import StrEnum
from typing import Self


class Direction(StrEnum):
    """Which way bytes flow on a link."""

    TO_WORKER = "to_worker"
    TO_CALLER = "to_caller"

    @property
    def stream(self) -> str:
        """The word on Toxiproxy's wire."""
        return _STREAM_OF[self]

    @classmethod
    def from_stream(cls, stream: str) -> Self:
        """The direction that Toxiproxy's word means, whatever its case. ValueError for another word."""
        for direction in cls:
            if direction.stream == stream.lower():
                return direction
        raise ValueError(f"stream '{stream}': expected 'upstream' or 'downstream'")


_STREAM_OF = {Direction.TO_WORKER: "upstream", Direction.TO_CALLER: "downstream"}
