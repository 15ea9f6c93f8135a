"""The noisy neighbours of one worker process: on its CPU, in its memory, on its GPU."""

import asyncio
from collections.abc import Mapping

from faults.process.memory_pressure import MEGABYTE
from faults.site import Neighbour
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.affinity import allow, cpus_of
from harness.serving.cpu_neighbour import CpuNeighbour
from harness.serving.journal_entries import NeighbourProcess, start_of
from harness.serving.journaling import Journaling
from harness.serving.memory_neighbour import RESERVE_BYTES, MemoryNeighbour, room_bytes
from harness.serving.process_identity import runs
from harness.serving.sidecar import Sidecar
from harness.serving.sidecar_process import Deed


class Neighbours:
    """Of the process `pid` of `worker`, the `index`th of its pool. All of one kind at a time."""

    def __init__(self, worker: str, pid: int, index: int, device: str, journal: Journaling) -> None:
        self._worker = worker
        self._pid = pid
        self._started_s = start_of(pid)
        self._index = index
        self._device = device
        self._journal = journal
        self._before: frozenset[int] = frozenset()  # the worker's CPUs
        self._there: list[tuple[Sidecar, NeighbourProcess]] = []
        self._amount = 0  # that was ordered last

    async def check(self, neighbour: Neighbour) -> None:
        """EnvironmentFault in one line if that cannot be."""
        if neighbour.kind == "memory":
            if neighbour.amount > self._amount:  # who only renews has it already
                await self._check_room(neighbour.amount)
        elif neighbour.kind == "cpu":
            self._before = self._before or cpus_of(self._pid)
        elif not self._device.startswith("cuda"):
            raise EnvironmentFault(
                f"gpu_hog needs {self._worker} on CUDA, it is on {self._device}. Use slow_steps"
            )

    async def have(self, neighbour: Neighbour, lease_s: float) -> None:
        """As many, or as much. EnvironmentFault in one line if that cannot be."""
        await self.check(neighbour)
        wanted = 1 if neighbour.kind == "memory" else neighbour.amount
        while len(self._there) > wanted or any(not sidecar.runs for sidecar, _ in self._there):
            gone = next((each for each in self._there if not each[0].runs), self._there[-1])
            await self._end(gone)
        while len(self._there) < wanted:
            await self._start(neighbour.kind)
        for sidecar, _ in self._there:
            await sidecar.order(neighbour.amount, lease_s)
        self._amount = neighbour.amount

    async def leave(self) -> None:
        """All gone, and the worker has its CPUs back. CleanupUnverified if that is not seen."""
        while self._there:
            await self._end(self._there[-1])
        if self._before and runs(self._pid, self._started_s) and not allow(self._pid, self._before):
            raise CleanupUnverified(f"{self._worker} (process {self._pid}) does not have its CPUs back")

    async def seen(self) -> Mapping[str, float]:
        """The sum of what they measure of themselves."""
        found = await asyncio.gather(*(sidecar.seen() for sidecar, _ in self._there))
        return {name: sum(each.get(name, 0.0) for each in found) for name in found[0]} if found else {}

    async def _check_room(self, wanted: int) -> None:
        """What it holds already is no longer free, and its own."""
        held = int((await self.seen()).get("neighbour_megabytes", 0.0) * MEGABYTE)
        room = room_bytes() + held
        if wanted > room:
            raise EnvironmentFault(
                f"memory_pressure of {wanted / MEGABYTE:.0f} MB is more than the {room / MEGABYTE:.0f} MB"
                f" that are free here less {RESERVE_BYTES / MEGABYTE:.0f} MB for the others. Ask for less"
            )

    async def _start(self, kind: str) -> None:
        """Idle at first: what may be left behind is written down before anything is done."""
        sidecar = await self._sidecar(kind)
        try:
            entry = NeighbourProcess(sidecar.pid, start_of(sidecar.pid))
            await asyncio.to_thread(self._journal.intend, entry)
        except BaseException:
            await sidecar.end()
            raise
        self._there.append((sidecar, entry))

    async def _sidecar(self, kind: str) -> Sidecar:
        what = f"{kind} neighbour of {self._worker}"
        if kind == "memory":
            return await Sidecar.start(what, MemoryNeighbour)
        if kind == "gpu":
            return await Sidecar.start(what, _gpu_neighbour, self._device)
        cpus = sorted(self._before, reverse=True)
        cpu = cpus[self._index % len(cpus)]
        return await Sidecar.start(what, CpuNeighbour, self._pid, self._started_s, cpu, self._before)

    async def _end(self, each: tuple[Sidecar, NeighbourProcess]) -> None:
        sidecar, entry = each
        await sidecar.end()
        self._there.remove(each)
        self._journal.done(entry)


def _gpu_neighbour(device: str) -> Deed:
    """Made in its own process: the main process must not load torch."""
    from harness.serving.model.gpu_neighbour import GpuNeighbour

    return GpuNeighbour(device)
