"""Batch slots are held by nobody: sequences that were never freed. The engine is as fast as ever."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakedSlots(WorkerFault):
    """`slots` batch slots are lost, as soon as who runs in them has ended. Metrics show them as running."""

    kind: ClassVar[str] = "leaked_slots"
    meaning: ClassVar[str] = "`slots` batch slots are held by nobody; metrics show them as running"
    fidelity: ClassVar[Fidelity] = Fidelity.BEHAVIOUR
    neutral: ClassVar[Mapping[str, float]] = {"slots": 0}
    shows_lost_slots: ClassVar[bool] = True

    slots: int = 6

    def __post_init__(self) -> None:
        check("leaked_slots: slots", self.slots, 0)

    def effect(self) -> Effect:
        return Effect("slots lost", self.slots, "")

    def usable_slots(self, max_num_seqs: int) -> int:
        return max(0, max_num_seqs - self.slots)
