"""What a fault can touch at one worker of a virtual run: the worker itself, its link, its step loop."""

import asyncio

from faults.fault import WorkerFault
from faults.site import Toxic
from harness.errors import EnvironmentFault
from harness.serving.memory_link import MemoryLink
from harness.serving.worker_state import WorkerState, read_state
from policies.outcome import Kind, Outcome


class MemorySite:
    """One worker behind one in-memory link. `steps` is the task of its step loop."""

    def __init__(self, link: MemoryLink, steps: "asyncio.Task[None]") -> None:
        self.worker = link.worker.name
        self.link = link
        self._steps = steps

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        """ConnectionError if the worker is gone."""
        if self.link.down:
            raise ConnectionError(f"{self.worker} did not take the fault: it is gone")
        self.link.worker.inject(fault, lease_s)

    async def heal(self) -> None:
        self.link.worker.heal()

    async def set_toxics(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        try:
            self.link.set_toxics(toxics)
        except ValueError as refused:
            raise EnvironmentFault(f"the link to {self.worker} refuses a toxic: {refused}") from refused

    async def remove_toxics(self) -> None:
        self.link.remove_toxics()

    async def kill(self) -> None:
        if self.link.down:
            return
        self.link.take_down()
        self._steps.cancel()
        await asyncio.wait([self._steps])
        self.link.worker.end(Outcome(kind=Kind.ERROR, cause=f"{self.worker} is gone", by=self.worker))


class MemoryAdmin:
    """The admin side of a worker in memory."""

    def __init__(self, site: MemorySite) -> None:
        self._site = site

    async def state(self) -> WorkerState | None:
        if self._site.link.down:
            return None
        return read_state(self._site.link.worker, asyncio.get_running_loop().time())
