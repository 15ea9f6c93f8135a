"""Every engine step takes k times as long, and what the worker says of itself stays as it was before.

Gray failure: who calls it suffers, and who watches its health and its metrics sees a worker that is well
(Huang et al., "Gray Failure: The Achilles' Heel of Cloud-Scale Systems", HotOS 2017).
"""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowUnseen(WorkerFault):
    """Steps take `factor` times as long, at least 1; metrics, load and KV usage stand still meanwhile.

    A shape does not scale it: reports stand still or do not.
    """

    kind: ClassVar[str] = "slow_unseen"
    meaning: ClassVar[str] = "every step takes `factor` times as long; metrics and load stay as they were"
    freezes_reports: ClassVar[bool] = True

    factor: float = 10.0

    def __post_init__(self) -> None:
        check("slow_unseen: factor", self.factor, 1)

    def effect(self) -> Effect:
        return Effect("step time", self.factor, "x")

    def step_s(self, step_s: float, *, prefill: bool = False) -> float:
        return step_s * self.factor
