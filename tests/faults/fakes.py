"""A site that only remembers."""

import asyncio

from faults.fault import Fault, Toxic


class FakeSite:
    """Remembers what was done to it, with times."""

    worker = "worker-0"

    def __init__(self) -> None:
        self.done: list[str] = []
        self.injected_s: list[float] = []
        self.fails = False

    async def inject(self, fault: Fault, lease_s: float) -> None:
        if self.fails:
            raise ConnectionError("no answer")
        self.injected_s.append(asyncio.get_running_loop().time())
        self.done.append(f"inject {fault.kind}")

    async def heal(self) -> None:
        self.done.append("heal")

    async def add_toxics(self, toxics: tuple[Toxic, ...]) -> None:
        self.done.append(f"add {[t.type for t in toxics]}")

    async def remove_toxics(self) -> None:
        self.done.append("remove")

    async def kill(self) -> None:
        self.done.append("kill")
