"""What happens to the toxics of a proxy by itself as time goes by: some are taken off, some change."""

import asyncio
from collections.abc import Callable

from faults.toxiproxy.ramp import Ramp
from faults.toxiproxy.toxics.toxic import Toxic

STEP_S = 0.05  # between two changes of a ramp


class Upkeep:
    """Toxics by name. `take_off` and `change` act on the proxy."""

    def __init__(self, take_off: Callable[[str], None], change: Callable[[str, Toxic], None]) -> None:
        self._take_off = take_off
        self._change = change
        self._limits: dict[str, asyncio.TimerHandle] = {}
        self._ramps: dict[str, Ramp] = {}  # those that have arrived too, until they are forgotten
        self._steps: dict[str, asyncio.TimerHandle] = {}

    def limit(self, name: str, time_limit_s: float | None) -> None:
        """Take the toxic off after so long, counted from now, whatever was said before. None: never."""
        if name in self._limits:
            self._limits.pop(name).cancel()
        if time_limit_s is not None:
            self._limits[name] = asyncio.get_running_loop().call_later(time_limit_s, self._take_off, name)

    def time_left_s(self, name: str) -> float | None:
        """Until the toxic is taken off; None for one that stays."""
        limit = self._limits.get(name)
        return None if limit is None else max(0.0, limit.when() - asyncio.get_running_loop().time())

    def ramp(self, name: str, ramp: Ramp) -> None:
        """Begin a ramp. The toxic is as at its start already."""
        self.stay(name)
        self._ramps[name] = ramp
        self._plan(name, ramp, asyncio.get_running_loop().time())

    def ramp_of(self, name: str) -> Ramp | None:
        """The ramp that the toxic is on or has come up."""
        return self._ramps.get(name)

    def stay(self, name: str) -> None:
        """End a ramp where it is."""
        self._ramps.pop(name, None)
        if name in self._steps:
            self._steps.pop(name).cancel()

    def forget(self, name: str) -> None:
        """The toxic is gone."""
        self.limit(name, None)
        self.stay(name)

    def close(self) -> None:
        """All toxics are gone."""
        for name in [*self._limits, *self._ramps]:
            self.forget(name)

    def _plan(self, name: str, ramp: Ramp, began_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._steps[name] = loop.call_later(STEP_S, self._step, name, ramp, began_s)

    def _step(self, name: str, ramp: Ramp, began_s: float) -> None:
        passed_s = asyncio.get_running_loop().time() - began_s
        del self._steps[name]
        if passed_s < ramp.over_s:
            self._plan(name, ramp, began_s)
        self._change(name, ramp.at(passed_s))
