"""Nobody tells the engine that a caller has left: answers that nobody waits for are computed to the end.

Timeouts upstream then free no capacity, and each retry adds work to what was given up.
"""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import WorkerFault


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredCancellation(WorkerFault):
    """Whoever leaves, from the queue or from a slot, is computed to the end, or until the fault is gone."""

    kind: ClassVar[str] = "ignored_cancellation"
    meaning: ClassVar[str] = "whoever leaves keeps its slot and is computed to the end"
    fidelity: ClassVar[Fidelity] = Fidelity.BEHAVIOUR
    steady: ClassVar[bool] = False
    keeps_abandoned: ClassVar[bool] = True

    def effect(self) -> Effect:
        return Effect("kept after leaving", 1.0, "")
