"""What a law starts from, and what every law says of the service that fills first."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from harness.judging import queueing
from harness.judging.history import Setup
from harness.judging.load import Load, Service
from harness.judging.result import Bite, Law

UNBOUNDED_PRESET = "none"  # the one that the laws describe: it neither times out, nor refuses, nor benches


@dataclass(frozen=True, slots=True)
class Given:
    """`law` holds what was measured before the fault; `service` is the one that fills first."""

    setup: Setup
    law: Law
    load: Load
    service: Service
    bite: Bite

    @property
    def unbounded(self) -> bool:
        """No policy shortens what the fault prolongs."""
        return self.setup.preset == UNBOUNDED_PRESET

    @property
    def size(self) -> float:
        """Of the fault, as measured if it could be."""
        return self.bite.asked if self.bite.measured is None else self.bite.measured

    @property
    def others(self) -> float:
        """Slots of the service that are held by whoever is not at a worker in question."""
        return self.service.in_use - self.service.arrivals_rps * self.load.held_s

    @property
    def drained_rps(self) -> float:
        """What the workers in question complete while all is well."""
        return self.load.faulted * (self.law.capacity_rps or 0.0)

    def unknown(self, why: str) -> Law:
        return self.law.model_copy(update={"words": f"no law: {why}"})


Predict = Callable[[Given], Law]


def with_travel(law: Law, service: Service, drained_rps: float, first_service_s: float, words: str) -> Law:
    """`law` with its words, and, if the slots must run out, when. `first_service_s` may be infinite."""
    if not law.must_fill:
        verdict = "may go either way" if law.must_fill is None else "need not run out"
        return law.model_copy(update={"words": f"{words}; slots of {service.name} {verdict}"})
    rate, free = service.arrivals_rps, service.slots - service.in_use
    travel = queueing.travel_s(free, rate, drained_rps, first_service_s)
    low, high = queueing.full_between_s(service.slots, service.in_use, rate, drained_rps)
    span = f"{low:.1f}-{high:.1f} s" if isfinite(high) else f"at least {low:.1f} s"
    return law.model_copy(
        update={
            "travel_s": travel if isfinite(travel) else None,
            "full_low_s": low,
            "full_high_s": high if isfinite(high) else None,
            "words": f"{words}; slots of {service.name} gone after the fault: predicted {span}",
        }
    )
