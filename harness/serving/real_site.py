"""What a fault can touch at one worker of a real run: its admin routes, its proxy, its process."""

from faults.fault import Fault, Toxic
from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.pool import Pool
from harness.serving.worker_admin import WorkerAdmin


class RealSite:
    """One worker process behind one Toxiproxy proxy."""

    def __init__(
        self, worker: str, admin: WorkerAdmin, pool: Pool, toxiproxy: ToxiproxyClient, proxy: str
    ) -> None:
        self.worker = worker
        self._admin = admin
        self._pool = pool
        self._toxiproxy = toxiproxy
        self._proxy = proxy
        self._toxics: list[str] = []

    async def inject(self, fault: Fault, lease_s: float) -> None:
        await self._admin.inject(fault, lease_s)

    async def heal(self) -> None:
        if not await self._admin.heal():
            raise CleanupUnverified(f"{self.worker} does not confirm that its fault is gone")

    async def add_toxics(self, toxics: tuple[Toxic, ...]) -> None:
        try:
            for toxic in toxics:
                name = f"{self._proxy}.{toxic.type}"
                self._toxics.append(name)
                await self._toxiproxy.add_toxic(
                    self._proxy, name, toxic.type, toxic.direction, toxic.attributes
                )
        except ToxiproxyError as refused:
            raise EnvironmentFault(str(refused)) from refused

    async def remove_toxics(self) -> None:
        try:
            while self._toxics:
                await self._toxiproxy.remove_toxic(self._proxy, self._toxics.pop())
            left = await self._toxiproxy.toxics(self._proxy)
        except ToxiproxyError as refused:
            raise CleanupUnverified(f"toxics may be left on {self._proxy}: {refused}") from refused
        if left:
            raise CleanupUnverified(f"toxics are left on {self._proxy}: {', '.join(left)}")

    async def kill(self) -> None:
        await self._pool.kill(self.worker)
