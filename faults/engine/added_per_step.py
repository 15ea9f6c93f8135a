"""Every engine step takes so many seconds more, whatever is in it: host work, a slow transfer, a sync.

A large batch pays it once for all, so the worker that batches most suffers least.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedPerStep(WorkerFault):
    """`added_s` seconds on top of every step."""

    kind: ClassVar[str] = "added_per_step"
    meaning: ClassVar[str] = "every engine step takes `added_s` seconds more"
    neutral: ClassVar[Mapping[str, float]] = {"added_s": 0.0}

    added_s: float = 0.2

    def __post_init__(self) -> None:
        check("added_per_step: added_s", self.added_s, 0)

    def effect(self) -> Effect:
        return Effect("added step time", self.added_s, "s")

    def step_s(self, step_s: float, *, prefill: bool = False) -> float:
        return step_s + self.added_s
