"""What a fault can do to the process of a worker of a real run: end it, start it anew, stop it, crowd it.

All but the first two are done by processes of ours beside the worker, with a lease. What they may leave
behind is written into the journal before it is done.
"""

import asyncio
import signal
from collections.abc import Mapping

from faults.site import GpuCap, Neighbour
from harness.errors import CleanupUnverified
from harness.serving.gpu_site import GpuSite
from harness.serving.journal_entries import StoppedProcess, WorkerProcess, start_of
from harness.serving.journaling import Journaling, NoJournal
from harness.serving.neighbours import Neighbours
from harness.serving.pool import Pool
from harness.serving.process_identity import is_stopped, runs, send
from harness.serving.sidecar import Sidecar
from harness.serving.stopper import Stopper

RUNS_TRIES = 100
LOOK_S = 0.01


class RealProcess:
    """The process of one worker of `pool`."""

    def __init__(self, worker: str, pool: Pool, journal: Journaling | None = None) -> None:
        self.worker = worker
        self._pool = pool
        self._journal: Journaling = journal or NoJournal()
        self._stopper: Sidecar | None = None
        self._stopped: StoppedProcess | None = None
        self._neighbours: Neighbours | None = None
        self._gpu: GpuSite | None = None

    def _card(self) -> GpuSite:
        """Known once a fault asks for it."""
        if self._gpu is None:
            device = self._pool.workers[self.worker].ready.device
            self._gpu = GpuSite(self.worker, device, self._journal)
        return self._gpu

    async def check_process(self, wanted: Neighbour | GpuCap) -> None:
        """EnvironmentFault if there can never be that here."""
        if isinstance(wanted, GpuCap):
            await self._card().check(wanted)
        else:
            await self._beside().check(wanted)

    async def kill(self) -> None:
        await self._pool.kill(self.worker)

    async def restart(self) -> None:
        await self._pool.restart(self.worker)
        await asyncio.to_thread(self._journal.intend, WorkerProcess(self._pid(), start_of(self._pid())))

    async def stop(self, stopped_ratio: float, period_s: float, lease_s: float) -> None:
        """ConnectionError if the worker is gone."""
        self._check_up("cannot be stopped")
        try:
            if self._stopped is None:
                self._stopped = StoppedProcess(self._pid(), start_of(self._pid()))
                await asyncio.to_thread(self._journal.intend, self._stopped)
            if self._stopper is not None and not self._stopper.runs:
                await self._end_stopper()
            if self._stopper is None:
                self._stopper = await Sidecar.start(
                    f"stopper of {self.worker}", Stopper, self._stopped.pid, self._stopped.started_s
                )
            await self._stopper.order((stopped_ratio, period_s), lease_s)
        except Exception:
            await self.resume()
            raise

    async def resume(self) -> None:
        """CleanupUnverified if the process is not seen to run."""
        await self._end_stopper()
        stopped = self._stopped
        if stopped is None:
            return
        for _ in range(RUNS_TRIES):
            send(signal.SIGCONT, stopped.pid, stopped.started_s)
            if not runs(stopped.pid, stopped.started_s) or not is_stopped(stopped.pid):
                self._journal.done(stopped)
                self._stopped = None
                return
            await asyncio.sleep(LOOK_S)
        raise CleanupUnverified(f"{self.worker} (process {stopped.pid}) is still stopped after SIGCONT")

    async def crowd(self, neighbour: Neighbour, lease_s: float) -> None:
        """ConnectionError if the worker is gone. EnvironmentFault if the neighbour cannot be had here."""
        self._check_up("has no neighbours")
        if self._neighbours is None:
            self._neighbours = self._beside()
        try:
            await self._neighbours.have(neighbour, lease_s)
        except Exception:
            await self.uncrowd()
            raise

    async def uncrowd(self) -> None:
        """CleanupUnverified if a neighbour is not seen to be gone, or the worker not to be free again."""
        if self._neighbours is not None:
            await self._neighbours.leave()
            self._neighbours = None

    async def cap(self, limit: GpuCap, lease_s: float) -> None:
        await self._card().cap(limit, lease_s)

    async def uncap(self) -> None:
        await self._card().uncap()

    async def seen(self) -> Mapping[str, float]:
        """Gauges of the process from outside, while a fault is there that shows in them."""
        seen = {} if self._gpu is None else dict(self._gpu.seen())
        if self._stopper is not None:
            seen |= await self._stopper.seen()
        if self._neighbours is not None:
            seen |= await self._neighbours.seen()
        return seen

    def _beside(self) -> Neighbours:
        """Of the process that is there now, none yet."""
        device = self._pool.workers[self.worker].ready.device
        index = list(self._pool.workers).index(self.worker)
        return Neighbours(self.worker, self._pid(), index, device, self._journal)

    def _pid(self) -> int:
        return self._pool.workers[self.worker].process.pid or 0

    def _check_up(self, what: str) -> None:
        if not self._pool.workers[self.worker].process.is_alive():
            raise ConnectionError(f"{self.worker} {what}: it is gone")

    async def _end_stopper(self) -> None:
        if self._stopper is not None:
            await self._stopper.end()
            self._stopper = None
