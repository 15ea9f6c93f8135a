"""A neighbour that holds memory: a leak in a side-car, a cache that grows, an index that was loaded twice."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.magnitude import check
from faults.process.crowded import Crowded
from faults.site import Neighbour

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPressure(Crowded):
    """A process holds `megabytes` (of a million bytes) and goes on touching them, so that they stay.

    It is the first that the system kills when memory runs out. What the worker feels depends on the machine:
    nothing while there is room, pages read again from the disk when there is none.
    """

    kind: ClassVar[str] = "memory_pressure"
    meaning: ClassVar[str] = "a neighbour of the worker holds `megabytes` of memory and keeps touching them"
    neutral: ClassVar[Mapping[str, float]] = {"megabytes": 0}

    megabytes: int = 512

    def __post_init__(self) -> None:
        check("memory_pressure: megabytes", self.megabytes, 0)

    def effect(self) -> Effect:
        return Effect("neighbour memory", float(self.megabytes), "MB")

    def neighbour(self) -> Neighbour:
        return Neighbour("memory", self.megabytes * MEGABYTE)
