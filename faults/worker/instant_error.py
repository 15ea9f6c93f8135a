"""Every request is answered with an error at once: the sink that draws all traffic.

Whoever prefers the worker with the fewest requests in flight, or the quickest answers, prefers this one.
"""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import WorkerFault
from faults.magnitude import check


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantError(WorkerFault):
    """HTTP `status`, 400 to 599. What ran or waited already goes on to its end."""

    kind: ClassVar[str] = "instant_error"
    meaning: ClassVar[str] = "answers every request with an error at once"
    fidelity: ClassVar[Fidelity] = Fidelity.BEHAVIOUR

    status: int = 500

    def __post_init__(self) -> None:
        check("instant_error: status", self.status, 400, 599)

    def effect(self) -> Effect:
        return Effect("failed share", 1.0, "")

    def error_status(self) -> int | None:
        return self.status
