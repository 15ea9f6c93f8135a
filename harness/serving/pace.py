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

HEALTHY = WorkerFault()


@dataclass(slots=True)
class Pace:
    """The faults and the floor of one worker.

    Attributes:
        step_floor_s: steps take at least this long.
        late_s: added to every step, whatever its fault, where no real timer is late by itself.
        fault: asked for each step while its lease holds, until `fault_until_s` on the worker's clock.
        fault_since_s: when a fault of its kind began. A renewal or another magnitude begins nothing.
    """

    step_floor_s: float = 0.0
    late_s: float = 0.0
    fault: WorkerFault = field(default=HEALTHY)
    fault_until_s: float = 0.0
    fault_since_s: float = 0.0
    waiter: Waiter = field(default_factory=Waiter, repr=False)  # for the end of a step
    _stalled_s: float = field(default=0.0, init=False)  # by faults that hold steps, of those that have ended
    _held: tuple[float, float] | None = field(default=None, init=False)  # the step that is, from and until

    def step_s(self, elapsed_s: float, now: float, *, prefill: bool = False) -> float:
        """Seconds that a step takes which computed for `elapsed_s`. `prefill`: there is a prompt in it."""
        longest_s = max(elapsed_s, self.step_floor_s)
        return self.active(now).step_s(longest_s, prefill=prefill) + self.late_s

    def steps_s(self, elapsed_s: Sequence[float], now: float) -> list[float]:
        """`step_s` of each of several steps without prompts, none of which anything changes."""
        fault, floor_s, late_s = self.active(now), self.step_floor_s, self.late_s
        if fault is HEALTHY:
            return [(each_s if each_s > floor_s else floor_s) + late_s for each_s in elapsed_s]
        return [fault.step_s(max(each_s, floor_s)) + late_s for each_s in elapsed_s]

    async def hold(
        self, started_s: float, elapsed_s: float, *, prefill: bool = False, due: bool = True
    ) -> None:
        """Wait until the step has taken its time, which it began at `started_s` and computed for `elapsed_s`.

        What its time is gets asked again when a fault comes, is healed, or loses its lease: a step must not
        stay slow for longer than its fault. The time waited until then counts. `due`: a step whose time is
        over needs no timer to end it.
        """
        clock = asyncio.get_running_loop().time
        held_s = 0.0
        while True:
            now = clock()
            paced_s = started_s + self.step_s(elapsed_s, now, prefill=prefill)
            ends_s = self.active(now).held_until_s(paced_s, started_s, self.fault_since_s)
            if due and now >= ends_s:
                self._stalled_s += max(held_s, ends_s - paced_s)
                self._held = None
                return
            self._held = paced_s, ends_s
            until_s = min(ends_s, self.fault_until_s) if now < self.fault_until_s else ends_s
            due = await self.waiter.wait(max(now, until_s))
            held_s = max(held_s, min(clock(), ends_s) - paced_s)

    def stalled_s(self, now: float) -> float:
        """Seconds, so far, for which faults have held steps that had taken their time."""
        held_s = 0.0 if self._held is None else min(now, self._held[1]) - self._held[0]
        return self._stalled_s + max(0.0, held_s)

    def inject(self, fault: WorkerFault, lease_s: float, now: float) -> None:
        """Install a fault, or renew its lease."""
        if type(self.active(now)) is not type(fault):
            self.fault_since_s = now
        self.fault, self.fault_until_s = fault, now + lease_s
        self.waiter.wake()

    def heal(self) -> None:
        self.fault = HEALTHY
        self.waiter.wake()

    def active(self, now: float) -> WorkerFault:
        """The fault whose lease holds at `now`, or the one that does nothing."""
        return self.fault if now < self.fault_until_s else HEALTHY

    def steady_until_s(self, now: float) -> float:
        """Loop time until which nothing changes by itself: the end of a lease."""
        return self.fault_until_s if now < self.fault_until_s else float("inf")
