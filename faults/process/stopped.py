"""The process stands still for a share of the time: a pause, a hung driver, a frozen host."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import Fault
from faults.magnitude import check
from faults.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(Fault):
    """Stopped for `stopped_ratio` of each `period_s`, running for the rest; 1 is a process that hangs.

    The system goes on accepting connections for it. Nobody is answered meanwhile, not even at `/health`.
    """

    kind: ClassVar[str] = "stopped"
    meaning: ClassVar[str] = "the worker's process stands still for `stopped_ratio` of each `period_s`"
    fidelity: ClassVar[Fidelity] = Fidelity.PROCESS
    neutral: ClassVar[Mapping[str, float]] = {"stopped_ratio": 0.0}

    stopped_ratio: float = 1.0
    period_s: float = 0.2

    def __post_init__(self) -> None:
        check("stopped: stopped_ratio", self.stopped_ratio, 0, 1)
        check("stopped: period_s", self.period_s, 0.01, 3600)  # signals need a moment to take effect

    def effect(self) -> Effect:
        return Effect("stopped share", self.stopped_ratio, "")

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        now = self.at(level)
        if now is None or now.stopped_ratio == 0:
            await site.resume()
        else:
            await site.stop(now.stopped_ratio, now.period_s, lease_s)

    async def lift(self, site: Site) -> None:
        await site.resume()
