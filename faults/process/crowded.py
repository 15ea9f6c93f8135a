"""What faults have in common that put a neighbour beside the worker."""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Fidelity
from faults.fault import Fault
from faults.site import Neighbour, Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowded(Fault):
    """A neighbour of no size."""

    fidelity: ClassVar[Fidelity] = Fidelity.PROCESS

    def neighbour(self) -> Neighbour:
        """Who is there."""
        return Neighbour("cpu", 0)

    async def check(self, site: Site) -> None:
        if self.neighbour().amount > 0:
            await site.check(self.neighbour())

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        now = self.at(level)
        if now is None or now.neighbour().amount == 0:
            await site.uncrowd()
        else:
            await site.crowd(now.neighbour(), lease_s)

    async def lift(self, site: Site) -> None:
        await site.uncrowd()
