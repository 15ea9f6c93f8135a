"""A site that only remembers."""

import asyncio

from faults.fault import WorkerFault
from faults.site import Toxic


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

    async def set_toxics(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        self.done.append(f"set {[t.type for t in toxics]}")

    async def remove_toxics(self) -> None:
        self.done.append("remove")

    async def kill(self) -> None:
        self.done.append("kill")
