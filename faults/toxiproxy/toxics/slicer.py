"""Data arrives in small pieces, as over a line with tiny packets."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.line import Line
from faults.toxiproxy.toxics.toxic import Range, Toxic

_BYTES: Range = (0, 2**31 - 1)
_MICROSECONDS: Range = (0, 10**12)  # about 11 days


@dataclass(frozen=True, slots=True)
class Slicer(Toxic):
    """Cut each chunk into slices and pause for `delay` microseconds after every one.

    What is longer than `average_size` + `size_variation` is cut in two, in the middle give or take
    `size_variation`, again and again; so without variation slices have half of `average_size` to all of it.
    `average_size` 0 cuts nothing. ValueError for a variation above the average.
    """

    kind: ClassVar[str] = "slicer"
    ranges: ClassVar[Mapping[str, Range]] = {
        "average_size": _BYTES,
        "size_variation": _BYTES,
        "delay": _MICROSECONDS,
    }
    crashing: ClassVar[frozenset[str]] = frozenset({"average_size", "size_variation"})

    average_size: int = 0  # bytes
    size_variation: int = 0  # bytes
    delay: int = 0  # microseconds

    def __post_init__(self) -> None:
        Toxic.__post_init__(self)  # a class with slots has no super() in Python 3.11
        if self.size_variation > self.average_size:
            most = self.average_size
            raise ValueError(
                f"size_variation: expected at most average_size ({most}), got {self.size_variation}"
            )

    async def pipe(self, stub: Stub) -> None:
        line = Line()
        while chunk := await stub.next():
            for size in self.sizes(len(chunk.data), stub.rng):
                await stub.forward(size)
                await stub.sleep_until(line.take(self.delay / 1e6, chunk.received_s, stub.now()))

    def sizes(self, length: int, rng: random.Random) -> Iterator[int]:
        """The sizes of the slices of a chunk of `length` bytes, in order; each at least one byte."""
        if not self.average_size or length <= self.average_size + self.size_variation:
            yield length
            return
        off = rng.randrange(-self.size_variation, self.size_variation) if self.size_variation else 0
        cut = max(1, length // 2 + off)
        yield from self.sizes(cut, rng)
        yield from self.sizes(length - cut, rng)
