"""How long a step takes: the computation, padded to a floor, stretched by a fault.

In a real run the forward pass stays real and its result is used; padding gives it the timing of a larger
model, lets four workers share two cores, and hides the machine's noise under the floor. A floor of 0 pads
nothing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from faults.fault import WorkerFault
from harness.serving.waiter import Waiter

_HEALTHY = WorkerFault()


@dataclass(slots=True)
class Pace:
    """The faults and the floor of one worker.

    Attributes:
        step_floor_s: steps take at least this long.
        late_s: added to every step, whatever its fault, where no real timer is late by itself.
        fault: asked for each step while its lease holds, until `fault_until_s` on the worker's clock.
    """

    step_floor_s: float = 0.0
    late_s: float = 0.0
    fault: WorkerFault = field(default=_HEALTHY)
    fault_until_s: float = 0.0
    waiter: Waiter = field(default_factory=Waiter, repr=False)  # for the end of a step

    def step_s(self, elapsed_s: float, now: float) -> float:
        """Seconds that a step takes which computed for `elapsed_s`."""
        return self.active(now).step_s(max(elapsed_s, self.step_floor_s)) + self.late_s

    def steps_s(self, elapsed_s: Sequence[float], now: float) -> list[float]:
        """`step_s` of each of several steps, none of which anything changes."""
        fault, floor_s, late_s = self.active(now), self.step_floor_s, self.late_s
        if fault is _HEALTHY:
            return [(each_s if each_s > floor_s else floor_s) + late_s for each_s in elapsed_s]
        return [fault.step_s(max(each_s, floor_s)) + late_s for each_s in elapsed_s]

    async def hold(self, started_s: float, elapsed_s: float, *, due: bool = True) -> None:
        """Wait until the step has taken its time, which it began at `started_s` and computed for `elapsed_s`.

        What its time is gets asked again when a fault comes, is healed, or loses its lease: a step must not
        stay slow for longer than its fault. The time waited until then counts. `due`: a step whose time is
        over needs no timer to end it.
        """
        clock = asyncio.get_running_loop().time
        while True:
            now = clock()
            ends_s = started_s + self.step_s(elapsed_s, now)
            if due and now >= ends_s:
                return
            until_s = min(ends_s, self.fault_until_s) if now < self.fault_until_s else ends_s
            due = await self.waiter.wait(max(now, until_s))

    def inject(self, fault: WorkerFault, lease_s: float, now: float) -> None:
        """Install a fault, or renew its lease."""
        self.fault, self.fault_until_s = fault, now + lease_s
        self.waiter.wake()

    def heal(self) -> None:
        self.fault = _HEALTHY
        self.waiter.wake()

    def active(self, now: float) -> WorkerFault:
        """The fault whose lease holds at `now`, or the one that does nothing."""
        return self.fault if now < self.fault_until_s else _HEALTHY

    def steady_until_s(self, now: float) -> float:
        """Loop time until which nothing changes by itself: the end of a lease."""
        return self.fault_until_s if now < self.fault_until_s else float("inf")
