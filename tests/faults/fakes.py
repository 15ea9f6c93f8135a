"""A site that only remembers."""

import asyncio

from faults.fault import WorkerFault
from faults.site import GpuCap, Neighbour, Toxic


class FakeSite:
    """Remembers what was done to it, with times."""

    worker = "worker-0"

    def __init__(self) -> None:
        self.done: list[str] = []
        self.injected_s: list[float] = []
        self.fails = False

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        if self.fails:
            raise ConnectionError("no answer")
        self.injected_s.append(asyncio.get_running_loop().time())
        self.done.append(f"inject {fault.kind}")

    async def heal(self) -> None:
        self.done.append("heal")

    async def check(self, wanted: Toxic | Neighbour | GpuCap) -> None:
        self.done.append(f"check {wanted.type if isinstance(wanted, Toxic) else wanted.kind}")

    async def set_toxics(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        self.done.append(f"set {[t.type for t in toxics]}")

    async def remove_toxics(self) -> None:
        self.done.append("remove")

    async def kill(self) -> None:
        self.done.append("kill")

    async def restart(self) -> None:
        self.done.append("restart")

    async def stop(self, stopped_ratio: float, period_s: float, lease_s: float) -> None:
        self.done.append(f"stop {stopped_ratio:g} of {period_s:g} s")

    async def resume(self) -> None:
        self.done.append("resume")

    async def crowd(self, neighbour: Neighbour, lease_s: float) -> None:
        self.done.append(f"crowd {neighbour.amount} {neighbour.kind}")

    async def uncrowd(self) -> None:
        self.done.append("uncrowd")

    async def cap(self, limit: GpuCap, lease_s: float) -> None:
        self.done.append(f"cap {limit.kind} {limit.amount}")

    async def uncap(self) -> None:
        self.done.append("uncap")

    async def seen(self) -> dict[str, float]:
        return {}
