"""The proxy in front of one worker, as faults use it: toxics put on it, taken off it, and seen to be gone."""

import asyncio
from collections.abc import Sequence

from faults.site import Toxic
from faults.toxiproxy.client import Proxy, ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from faults.toxiproxy.owned import belongs
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.link import Link
from harness.serving.probe import Ended
from harness.serving.proxy_cleanup import recreate
from harness.serving.toxic_kinds import check_kinds
from harness.serving.worker_admin import WorkerAdmin

PROOF_S = 10.0  # for a probe of a link that was healed


class FaultedLink:
    """Our toxics on `proxy` are named after it, and it is named after the run.

    On our own server they end by themselves with their lease, change in place, and what they held goes on
    when they are taken off. The original has no leases: see `remove` for how it loses them.
    """

    def __init__(self, worker: str, toxiproxy: ToxiproxyClient, proxy: Proxy) -> None:
        self._worker = worker
        self._toxiproxy = toxiproxy
        self._proxy = proxy
        self._toxics: tuple[Toxic, ...] = ()  # as they were last set, on whichever server

    async def check(self, toxics: Sequence[Toxic]) -> None:
        """EnvironmentFault if the server does not know one of them."""
        await check_kinds(self._toxiproxy, [toxic.type for toxic in toxics])

    async def set(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        """Have these toxics, or renew them. EnvironmentFault if the server takes none of that.

        ConnectionError if they could not be renewed: the next time may come before their lease ends.
        """
        await self.check(toxics)
        try:
            await self._set(toxics, lease_s)
        except (ToxiproxyError, ValueError) as refused:
            if toxics and toxics == self._toxics:
                raise ConnectionError(str(refused)) from refused
            raise EnvironmentFault(str(refused)) from refused
        self._toxics = toxics

    async def remove(self) -> None:
        """Take our toxics off and see that they are gone. CleanupUnverified if that cannot be seen.

        On the original by putting a new proxy in the place of the one with toxics, which cuts off whoever
        waits: 2.12 hangs for good when a toxic is removed from a link that still holds data for a caller
        who has left, which is what every timeout does.
        """
        try:
            await self._toxiproxy.settled()  # a call that was given up may still have put some there
            if await self._toxiproxy.has_extensions():
                await self._toxiproxy.clear_toxics(self._proxy.name, self._proxy.name)
            elif self._toxics or await self._own():
                await self._replace()
            self._toxics = ()
            left = await self._own()
        except ToxiproxyError as refused:
            raise CleanupUnverified(f"the link to {self._worker} may not be healed: {refused}") from refused
        if left:
            raise CleanupUnverified(f"toxics are left on {self._proxy.name}: {', '.join(left)}")

    async def prove(self, link: Link, admin: WorkerAdmin) -> None:
        """See by a probe that `link` carries what it should. CleanupUnverified if it does not.

        Nothing can be said of a link to a worker that does not answer its admin either.
        """
        try:
            async with asyncio.timeout(PROOF_S):
                ended = (await link.probe()).ended
        except TimeoutError:
            ended = Ended.SILENT
        if ended is not Ended.WHOLE and await admin.state() is not None:
            raise CleanupUnverified(f"the link to {self._worker} was healed, but a probe of it was {ended}")

    # Below here: helpers.

    async def _set(self, toxics: tuple[Toxic, ...], lease_s: float) -> None:
        if not await self._toxiproxy.has_extensions():
            if toxics == self._toxics:
                return  # there is no lease to renew
            if self._toxics and _places(toxics) != _places(self._toxics):
                await self._replace()
        await self._toxiproxy.set_toxics(self._proxy.name, self._proxy.name, toxics, lease_s)

    async def _own(self) -> list[str]:
        names = await self._toxiproxy.toxics(self._proxy.name)
        return [name for name in names if belongs(name, self._proxy.name)]

    async def _replace(self) -> None:
        """A proxy as before, without toxics."""
        await self._toxiproxy.delete(self._proxy.name)
        await recreate(self._toxiproxy, self._proxy)


def _places(toxics: Sequence[Toxic]) -> list[tuple[str, str]]:
    """What no update can change."""
    return [(toxic.type, toxic.direction) for toxic in toxics]
