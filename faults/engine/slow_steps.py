"""Every engine step takes k times as long: a GPU that throttles, or shares its time with a neighbour."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowSteps(WorkerFault):
    """Steps take `factor` times as long, at least 1. The batch holds its slots meanwhile.

    The added time is waited, not computed, so that the worker's peers keep the CPU that they need.
    """

    kind: ClassVar[str] = "slow_steps"
    meaning: ClassVar[str] = "every engine step takes `factor` times as long and holds its batch slots"
    neutral: ClassVar[Mapping[str, float]] = {"factor": 1.0}

    factor: float = 10.0

    def __post_init__(self) -> None:
        check("slow_steps: factor", self.factor, 1)

    def effect(self) -> Effect:
        return Effect("step time", self.factor, "x")

    def step_s(self, step_s: float, *, prefill: bool = False) -> float:
        return step_s * self.factor
