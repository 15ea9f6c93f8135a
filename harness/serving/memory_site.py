"""What a fault can touch at one worker of a virtual run: the worker itself, its link, its process."""

import asyncio

from faults.fault import WorkerFault
from faults.site import GpuCap, Neighbour, Toxic
from harness.errors import EnvironmentFault
from harness.serving.memory_process import MemoryProcess
from harness.serving.worker_state import WorkerState, read_state

STATE_TIMEOUT_S = 2.0  # as long as a real worker is waited for


class MemorySite(MemoryProcess):
    """One worker behind one in-memory link."""

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        """ConnectionError if the worker is gone."""
        if self.link.down:
            raise ConnectionError(f"{self.worker} did not take the fault: it is gone")
        self.link.worker.inject(fault, lease_s)

    async def heal(self) -> None:
        self.link.worker.heal()

    async def check(self, wanted: Toxic | Neighbour | GpuCap) -> None:
        """Links in memory know every toxic, and there is room for every neighbour."""
        if isinstance(wanted, GpuCap):
            await self.cap(wanted, 0.0)

    async def set_toxics(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        try:
            self.link.set_toxics(toxics, lease_s)
        except ValueError as refused:
            raise EnvironmentFault(f"the link to {self.worker} refuses a toxic: {refused}") from refused

    async def remove_toxics(self) -> None:
        self.link.remove_toxics()


class MemoryAdmin:
    """The admin side of a worker in memory."""

    def __init__(self, site: MemorySite) -> None:
        self._site = site

    async def state(self) -> WorkerState | None:
        halt = self._site.link.halt
        if halt.cycle is not None and not await halt.over_within(STATE_TIMEOUT_S):
            return None
        if self._site.link.down:
            return None
        return read_state(self._site.link.worker, asyncio.get_running_loop().time())

    async def health(self) -> bool:
        if await self.state() is None:
            return False
        await self._site.link.worker.door.health()
        return not self._site.link.down
