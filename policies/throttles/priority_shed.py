"""Under pressure the least important calls are refused first."""

import asyncio
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

from policies.bounds import check
from policies.call import Call
from policies.outcome import Outcome
from policies.policy import Layer, Next
from policies.refusal import refusal
from policies.throttles.shed_level import RejectRatio, TimeAverage, Traffic, line


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityShed(Layer):
    """Refuses a share of the calls, from the highest `call.priority` number down: 0 is shed last.

    Every interval the share moves by gain * (utilisation - target); utilisation is the mean number of calls
    inside over `max_concurrent`. The share becomes a level by the priorities of recent traffic, as in DAGOR
    and in failsafe-go's prioritizer; a call draws its place within its priority.

    Attributes:
        max_concurrent: calls inside that count as a utilisation of 1. No hard limit.
        target_ratio: the utilisation to come back to.
        interval_s: between two looks.
        gain: of the controller. Higher is faster, and swings where calls take many intervals.
        max_reject_ratio: the most that is ever refused, so that it can see the pool recover.
    """

    name: ClassVar[str] = "priority_shed"
    meaning: ClassVar[str] = "refuses the least important calls first while too many are in flight"

    max_concurrent: int = 64
    target_ratio: float = 0.8
    interval_s: float = 1.0
    gain: float = 0.2
    max_reject_ratio: float = 0.95

    _state: "_Shedder" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "max_concurrent", at_least=1, whole=True)
        check(self, "target_ratio", "gain", above=0, at_most=1)
        check(self, "max_reject_ratio", at_least=0, at_most=1)
        check(self, "interval_s", above=0)
        object.__setattr__(self, "_state", _Shedder(self))

    async def run(self, call: Call, next: Next) -> Outcome:
        loop, shedder = asyncio.get_running_loop(), self._state
        if not shedder.admits(call, loop.time()):
            cause = f"priority {call.priority} is shed: too many calls are in flight"
            return refusal(self.name, cause, retry_after_s=self.interval_s)
        shedder.in_flight.add(1, loop.time())
        try:
            return await next(call)
        finally:
            shedder.in_flight.add(-1, loop.time())


class _Shedder:
    """Calls inside, recent traffic, and the line between who is let in and who is not."""

    def __init__(self, rules: PriorityShed) -> None:
        self._rules = rules
        self._ratio = RejectRatio(rules.target_ratio, rules.gain, rules.max_reject_ratio)
        self._traffic = Traffic()
        self._line = inf
        self.in_flight = TimeAverage()

    def admits(self, call: Call, now: float) -> bool:
        self._look(now)
        self._traffic.add(call.priority)
        return call.priority < self._line and (
            call.priority + 1 <= self._line or call.priority + call.rng.random() < self._line
        )

    def _look(self, now: float) -> None:
        """Once an interval; after a pause for all that have passed."""
        intervals = self.in_flight.age_s(now) / self._rules.interval_s
        if intervals < 1:
            return
        utilisation = self.in_flight.take(now) / self._rules.max_concurrent
        self._line = line(self._traffic.next_interval(), self._ratio.update(utilisation, intervals))
