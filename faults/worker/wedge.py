"""The worker takes every request and answers none, while its health is good: near-dead.

A full internal queue, a lock that nobody gives back, a router in front of an engine that has gone.
"""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import WorkerFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Wedge(WorkerFault):
    """Requests that come are held before the queue. What ran or waited already goes on to its end.

    Whoever is still held when the fault is gone is served then.
    """

    kind: ClassVar[str] = "wedge"
    meaning: ClassVar[str] = "takes every request and answers none; health is good, what ran before goes on"
    fidelity: ClassVar[Fidelity] = Fidelity.BEHAVIOUR
    holds_requests: ClassVar[bool] = True

    def effect(self) -> Effect:
        return Effect("unanswered share", 1.0, "")
