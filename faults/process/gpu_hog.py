"""Noisy neighbours on the worker's GPU: a card that several jobs share, as by time slices."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.magnitude import check
from faults.process.crowded import Crowded
from faults.site import Neighbour

MOST = 8  # each takes some hundred megabytes of the card for itself


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuHog(Crowded):
    """`streams` processes, each with one stream of kernels without a gap on the worker's device. Needs CUDA.

    Each has a context of its own, and the device gives contexts equal slices of its time: computing takes
    1+streams times as long.
    """

    kind: ClassVar[str] = "gpu_hog"
    meaning: ClassVar[str] = "`streams` processes keep the worker's GPU busy with kernels of their own"
    neutral: ClassVar[Mapping[str, float]] = {"streams": 0}

    streams: int = 1

    def __post_init__(self) -> None:
        check("gpu_hog: streams", self.streams, 0, MOST)

    def effect(self) -> Effect:
        return Effect("compute time", 1.0 + self.streams, "x")

    def neighbour(self) -> Neighbour:
        return Neighbour("gpu", self.streams)
