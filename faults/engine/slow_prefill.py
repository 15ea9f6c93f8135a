"""Steps that prefill a prompt take k times as long: first tokens are late, tokens under way only stumble.

Prefill is bound by computing, decoding by memory: a throttled clock or a bad kernel hits this one alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowPrefill(WorkerFault):
    """Steps with a prompt in them take `factor` times as long, at least 1, for all that share the step."""

    kind: ClassVar[str] = "slow_prefill"
    meaning: ClassVar[str] = "steps that prefill a prompt take `factor` times as long"
    neutral: ClassVar[Mapping[str, float]] = {"factor": 1.0}

    factor: float = 10.0

    def __post_init__(self) -> None:
        check("slow_prefill: factor", self.factor, 1)

    def effect(self) -> Effect:
        return Effect("prefill step time", self.factor, "x")

    def step_s(self, step_s: float, *, prefill: bool = False) -> float:
        return step_s * self.factor if prefill else step_s
