"""A GPU that may not do what it could: a limit of its power or of its clocks. Needs CUDA and the right to."""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import Fault
from faults.magnitude import check
from faults.site import GpuCap, Site


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuLimit(Fault):
    """No limit."""

    fidelity: ClassVar[Fidelity] = Fidelity.PROCESS

    def limit(self) -> GpuCap:
        """What the GPU is limited to."""
        raise TypeError(f"{self.kind} limits nothing")

    async def check(self, site: Site) -> None:
        await site.check(self.limit())

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        if self.at(level) is None:
            await site.uncap()
        else:
            await site.cap(self.limit(), lease_s)

    async def lift(self, site: Site) -> None:
        await site.uncap()


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPowerLimit(GpuLimit):
    """The card draws `watts` at most, and lowers its clocks for it: a power brake, a rack at its limit."""

    kind: ClassVar[str] = "gpu_power_limit"
    meaning: ClassVar[str] = "the worker's GPU may draw `watts` at most and lowers its clocks for it"

    watts: int = 200

    def __post_init__(self) -> None:
        check("gpu_power_limit: watts", self.watts, 1)

    def effect(self) -> Effect:
        return Effect("gpu power limit", float(self.watts), "W")

    def limit(self) -> GpuCap:
        return GpuCap("power", self.watts)


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuClockLimit(GpuLimit):
    """The card's clocks stay at `mhz` or below: a hot card, a hardware slowdown, a wrong setting."""

    kind: ClassVar[str] = "gpu_clock_limit"
    meaning: ClassVar[str] = "the clocks of the worker's GPU stay at `mhz` or below"

    mhz: int = 600

    def __post_init__(self) -> None:
        check("gpu_clock_limit: mhz", self.mhz, 1)

    def effect(self) -> Effect:
        return Effect("gpu clock limit", float(self.mhz), "MHz")

    def limit(self) -> GpuCap:
        return GpuCap("clock", self.mhz)
