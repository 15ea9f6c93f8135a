"""What a fault can touch at one worker of a real run: its admin routes, its proxy, its process."""

from faults.fault import WorkerFault
from faults.site import GpuCap, Neighbour, Toxic
from faults.toxiproxy.client import Proxy, ToxiproxyClient
from harness.errors import CleanupUnverified
from harness.serving.faulted_link import FaultedLink
from harness.serving.journaling import Journaling
from harness.serving.link import Link
from harness.serving.pool import Pool
from harness.serving.real_process import RealProcess
from harness.serving.worker_admin import WorkerAdmin


class RealSite(RealProcess):
    """One worker process behind one Toxiproxy proxy."""

    def __init__(
        self,
        worker: str,
        admin: WorkerAdmin,
        pool: Pool,
        toxiproxy: ToxiproxyClient,
        proxy: Proxy,
        link: Link | None = None,
        journal: Journaling | None = None,
    ) -> None:
        super().__init__(worker, pool, journal)
        self._admin = admin
        self._link = FaultedLink(worker, toxiproxy, proxy)
        self._probed = link

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        await self._admin.inject(fault, lease_s)

    async def heal(self) -> None:
        if not await self._admin.heal():
            raise CleanupUnverified(f"{self.worker} does not confirm that its fault is gone")

    async def check(self, wanted: Toxic | Neighbour | GpuCap) -> None:
        if isinstance(wanted, Toxic):
            await self._link.check((wanted,))
        else:
            await self.check_process(wanted)

    async def set_toxics(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        await self._link.set(toxics, lease_s)

    async def remove_toxics(self) -> None:
        """Seen by the server's list and, with a way to probe it, by measurement."""
        await self._link.remove()
        if self._probed is not None:
            await self._link.prove(self._probed, self._admin)
