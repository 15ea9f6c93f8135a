"""What a fault can touch at one worker. Real runs and virtual runs each have their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from faults.fault import WorkerFault


@dataclass(frozen=True, slots=True)
class Toxic:
    """One toxic on a link. `attributes` are in Toxiproxy's own units."""

    type: str
    direction: str  # to_caller | to_worker
    attributes: dict[str, int]
    toxicity: float = 1.0  # the share of connections that it works on


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What shares the worker's machine with it. `amount`: processes, or bytes of memory."""

    kind: str  # cpu | memory | gpu
    amount: int


@dataclass(frozen=True, slots=True)
class GpuCap:
    """A limit of the worker's GPU, in watts or MHz."""

    kind: str  # power | clock
    amount: int


class Site(Protocol):
    """One worker: its engine, its link, its process.

    Whatever is put there holds for `lease_s` seconds at most, unless it is put there again. Undoing returns
    once the site has seen that it is undone, and raises CleanupUnverified (of the harness) if it cannot.
    Everything may be undone that is not there. ConnectionError if the worker is gone.
    """

    worker: str

    async def inject(self, fault: "WorkerFault", lease_s: float) -> None:
        """Make the worker ask this fault in all that it does, instead of one that was there before."""
        ...

    async def heal(self) -> None:
        """Take an injected fault out of the worker."""
        ...

    async def check(self, wanted: Toxic | Neighbour | GpuCap) -> None:
        """The harness raises EnvironmentFault if this worker can never have that. Nothing is changed."""
        ...

    async def set_toxics(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        """Have these toxics on the link, and no others of ours; those that stay are changed in place."""
        ...

    async def remove_toxics(self) -> None:
        """Take our toxics off the link. Whoever waits on it may be cut off."""
        ...

    async def kill(self) -> None:
        """End the worker's process at once and see that it is gone."""
        ...

    async def restart(self) -> None:
        """Start the worker again where it was, with nothing in it. Nothing happens if it was not killed."""
        ...

    async def stop(self, stopped_ratio: float, period_s: float, lease_s: float) -> None:
        """Have the process stopped for this share of each period: it hears nothing and says nothing."""
        ...

    async def resume(self) -> None:
        """Let the process run for good."""
        ...

    async def crowd(self, neighbour: Neighbour, lease_s: float) -> None:
        """Have this neighbour beside the worker. One kind at a time; another amount changes it."""
        ...

    async def uncrowd(self) -> None:
        """End the neighbour, and give back what it took from the worker."""
        ...

    async def cap(self, limit: GpuCap, lease_s: float) -> None:
        """Have this limit on the worker's GPU. The harness raises EnvironmentFault where that cannot be."""
        ...

    async def uncap(self) -> None:
        """Bring back the limit that was there before."""
        ...

    async def seen(self) -> Mapping[str, float]:
        """Gauges of the process from outside, while a fault is there that shows in them."""
        ...
