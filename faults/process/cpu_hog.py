"""Noisy neighbours on the worker's CPU: a machine that was sold twice, a batch job beside the server."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.magnitude import check
from faults.process.crowded import Crowded
from faults.site import Neighbour

MOST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuHog(Crowded):
    """The worker is pinned to one CPU, and `hogs` processes that never rest share it, as nice as it is.

    A fair scheduler leaves the worker 1/(1+hogs) of the CPU: its computing takes 1+hogs times as long. That
    is so for a worker that would use all of a CPU. One that needs less than its share, since its steps are
    padded, is served before the hogs whenever it wakes up and hardly notices them.
    """

    kind: ClassVar[str] = "cpu_hog"
    meaning: ClassVar[str] = "`hogs` processes that never rest share one CPU with the worker"
    neutral: ClassVar[Mapping[str, float]] = {"hogs": 0}

    hogs: int = 2

    def __post_init__(self) -> None:
        check("cpu_hog: hogs", self.hogs, 0, MOST)

    def effect(self) -> Effect:
        return Effect("compute time", 1.0 + self.hogs, "x")

    def neighbour(self) -> Neighbour:
        return Neighbour("cpu", self.hogs)
