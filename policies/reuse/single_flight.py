"""Calls that ask the same at the same time share one answer."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.evidence import Answer, lesson
from policies.outcome import Outcome
from policies.policy import Layer, Next, Place
from policies.reuse.flight import Flight, deadline_passed
from policies.reuse.request_key import Key, request_key


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleFlight(Layer):
    """The first call leads; those that ask the same meanwhile follow, and get the pieces as they come.

    The work belongs to nobody: whoever leaves, the leader too, leaves the others undisturbed, and the last
    one ends it. A follower whose leader fails before any content, or gives none in time, becomes or joins the
    next leader.

    Attributes:
        follower_timeout_s: longest wait of a follower for the first content of its leader.
        reelect: how many further leaders a follower waits for or becomes.
    """

    name: ClassVar[str] = "single_flight"
    meaning: ClassVar[str] = "lets calls that ask the same at the same time share one answer"
    place: ClassVar[Place | None] = Place.SINGLE_FLIGHT

    follower_timeout_s: float = 10.0
    reelect: int = 1

    _flights: dict[Key, Flight] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "follower_timeout_s", above=0)
        check(self, "reelect", at_least=0, whole=True)

    @property
    def in_flight(self) -> int:
        """Answers on their way that may still be joined."""
        return len(self._flights)

    async def run(self, call: Call, next: Next) -> Outcome:
        key = request_key(call)
        if key is None:
            return await next(call)
        if call.deadline_s <= asyncio.get_running_loop().time():
            return deadline_passed()
        stuck: Flight | None = None
        for elections_left in range(self.reelect, -1, -1):
            flight = self._flights.get(key)
            if flight is None or flight is stuck:
                return await self._lead(key, call, next)
            outcome = await flight.join(call, self.follower_timeout_s)
            if call.committed or not elections_left or not _leaders_own(outcome):
                break
            stuck = flight
        return replace(outcome, by=self.name) if outcome.answered and not outcome.by else outcome

    async def _lead(self, key: Key, call: Call, next: Next) -> Outcome:
        def landed(flight: Flight) -> None:
            if self._flights.get(key) is flight:
                del self._flights[key]

        self._flights[key] = flight = Flight(call, next, landed)
        return await flight.join(call)


def _leaders_own(outcome: Outcome) -> bool:
    """Whether the leader failed: the follower had time left, and the question itself was not bad."""
    ours = outcome.phase == "total" and outcome.by == SingleFlight.name
    return not outcome.answered and not ours and lesson(outcome).throttle is not Answer.ACCEPT
