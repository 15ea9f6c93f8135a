"""Answers about health are late while requests are served as fast as ever: it looks dead and is not.

An engine that computes on the thread which answers probes, a probe that waits behind a busy scheduler.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowHealth(WorkerFault):
    """Each answer about health takes `delay_s` seconds more. Nothing else does."""

    kind: ClassVar[str] = "slow_health"
    meaning: ClassVar[str] = "answers about health come `delay_s` late; requests are served as ever"
    fidelity: ClassVar[Fidelity] = Fidelity.BEHAVIOUR
    neutral: ClassVar[Mapping[str, float]] = {"delay_s": 0.0}

    delay_s: float = 5.0

    def __post_init__(self) -> None:
        check("slow_health: delay_s", self.delay_s, 0)

    def effect(self) -> Effect:
        return Effect("health delay", self.delay_s, "s")

    def health_s(self) -> float:
        return self.delay_s
