"""The engine hangs in a step: connections are open, health is good, and nothing comes.

A collective that waits for a peer, a kernel that never returns, a device that has fallen off its bus.
"""

from dataclasses import dataclass
from math import inf
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Freeze(WorkerFault):
    """No step ends while it is there. What was held goes on where it was when the fault is gone.

    The step loop hangs too: whoever leaves or runs out of time keeps its slot until then.
    """

    kind: ClassVar[str] = "freeze"
    meaning: ClassVar[str] = "no engine step ends; what was held goes on when the fault is gone"
    steady: ClassVar[bool] = False

    def effect(self) -> Effect:
        return Effect("stalled share", 1.0, "")

    def held_until_s(self, ends_s: float, started_s: float, since_s: float) -> float:
        return inf if ends_s >= since_s else ends_s
