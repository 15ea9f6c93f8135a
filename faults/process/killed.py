"""The worker's process is gone: the easy case. Connections are refused at once and nobody waits."""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import Fault
from faults.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed(Fault):
    """The process ends at once and stays away for the rest of the run.

    Under a shape that falls again it is started anew: flapping is a crash loop.
    """

    kind: ClassVar[str] = "killed"
    meaning: ClassVar[str] = "the worker's process is killed and does not come back"
    fidelity: ClassVar[Fidelity] = Fidelity.PROCESS
    heals: ClassVar[bool] = False

    def effect(self) -> Effect:
        return Effect("down", 1.0, "")

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        if self.at(level) is None:
            await site.restart()
        else:
            await site.kill()
