"""What a fault can touch at one worker of a real run: its admin routes, its proxy, its process."""

import asyncio

from faults.fault import WorkerFault
from faults.site import Toxic
from faults.toxiproxy.client import Proxy, ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.pool import Pool
from harness.serving.worker_admin import WorkerAdmin

REPLACE_TRIES = 10
REPLACE_PAUSE_S = 0.1


class RealSite:
    """One worker process behind one Toxiproxy proxy."""

    def __init__(
        self, worker: str, admin: WorkerAdmin, pool: Pool, toxiproxy: ToxiproxyClient, proxy: Proxy
    ) -> None:
        self.worker = worker
        self._admin = admin
        self._pool = pool
        self._toxiproxy = toxiproxy
        self._proxy = proxy
        self._toxics: tuple[Toxic, ...] = ()

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        await self._admin.inject(fault, lease_s)

    async def heal(self) -> None:
        if not await self._admin.heal():
            raise CleanupUnverified(f"{self.worker} does not confirm that its fault is gone")

    async def set_toxics(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        if toxics == self._toxics:
            return
        if self._toxics:
            await self.remove_toxics()
        self._toxics = toxics
        proxy = self._proxy.name
        try:
            for toxic in toxics:
                name = f"{proxy}.{toxic.type}"
                await self._toxiproxy.add_toxic(proxy, name, toxic.type, toxic.direction, toxic.attributes)
        except ToxiproxyError as refused:
            raise EnvironmentFault(str(refused)) from refused

    async def remove_toxics(self) -> None:
        """Put a new proxy in the place of the one with toxics. Whoever waited on the link is cut off.

        Toxiproxy 2.12 hangs for good when a toxic is removed from a link that still holds data for a caller
        who has left, which is what every timeout does.
        """
        try:
            await self._toxiproxy.delete(self._proxy.name)
            await self._replace()
            self._toxics = ()
            left = await self._toxiproxy.toxics(self._proxy.name)
        except ToxiproxyError as refused:
            raise CleanupUnverified(f"the link to {self.worker} may not be healed: {refused}") from refused
        if left:
            raise CleanupUnverified(f"toxics are left on {self._proxy.name}: {', '.join(left)}")

    async def _replace(self) -> None:
        """A proxy as before. The port may need a moment until it is free again."""
        proxy = self._proxy
        for _ in range(REPLACE_TRIES - 1):
            try:
                await self._toxiproxy.create(proxy.name, proxy.listen, proxy.worker)
                return
            except ToxiproxyError:
                await asyncio.sleep(REPLACE_PAUSE_S)
        await self._toxiproxy.create(proxy.name, proxy.listen, proxy.worker)

    async def kill(self) -> None:
        await self._pool.kill(self.worker)
