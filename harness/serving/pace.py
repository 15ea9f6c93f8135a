"""How long a step takes: the real computation, padded to a floor, stretched by a fault.

The forward pass stays real and its result is used; padding gives it the timing of a larger model, lets four
workers share two cores, and hides the machine's noise under the floor. A floor of 0 pads nothing.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from faults.fault import Fault

_HEALTHY = Fault()


@dataclass(slots=True)
class Pace:
    """The faults and the floor of one worker.

    Attributes:
        step_floor_s: steps take at least this long.
        fault: asked for each step while its lease holds, until `fault_until_s` on the worker's clock.
    """

    step_floor_s: float = 0.0
    fault: Fault = field(default=_HEALTHY)
    fault_until_s: float = 0.0
    _changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def step_s(self, elapsed_s: float, now: float) -> float:
        """Seconds that a step takes which computed for `elapsed_s`."""
        return self.active(now).step_s(max(elapsed_s, self.step_floor_s))

    async def hold(self, started_s: float, elapsed_s: float) -> None:
        """Wait until the step has taken its time, which it began at `started_s` and computed for `elapsed_s`.

        What its time is gets asked again when a fault comes, is healed, or loses its lease: a step must not
        stay slow for longer than its fault. The time waited until then counts.
        """
        clock = asyncio.get_running_loop().time
        while (now := clock()) < (ends_s := started_s + self.step_s(elapsed_s, now)):
            until_s = min(ends_s, self.fault_until_s) if now < self.fault_until_s else ends_s
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until_s):
                    await self._changed.wait()

    def inject(self, fault: Fault, lease_s: float, now: float) -> None:
        """Install a fault, or renew its lease."""
        self.fault, self.fault_until_s = fault, now + lease_s
        self._changed.set()

    def heal(self) -> None:
        self.fault = _HEALTHY
        self._changed.set()

    def active(self, now: float) -> Fault:
        """The fault whose lease holds at `now`, or the one that does nothing."""
        return self.fault if now < self.fault_until_s else _HEALTHY
