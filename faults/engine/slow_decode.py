"""Steps that only decode take k times as long: first tokens are as quick as ever, then answers crawl.

What watches time to the first token sees nothing of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDecode(WorkerFault):
    """Steps without a prompt in them take `factor` times as long, at least 1."""

    kind: ClassVar[str] = "slow_decode"
    meaning: ClassVar[str] = "steps that only decode take `factor` times as long"
    neutral: ClassVar[Mapping[str, float]] = {"factor": 1.0}

    factor: float = 10.0

    def __post_init__(self) -> None:
        check("slow_decode: factor", self.factor, 1)

    def effect(self) -> Effect:
        return Effect("decode step time", self.factor, "x")

    def step_s(self, step_s: float, *, prefill: bool = False) -> float:
        return step_s if prefill else step_s * self.factor
