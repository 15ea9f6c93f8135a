"""All proxies of one server, by name."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from aiohttp import web

from faults.toxiproxy.budget import Budget
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.order import NO_EXTRAS, Extras
from faults.toxiproxy.proxy import Proxy, Setting
from faults.toxiproxy.traffic import Traffic


class Proxies:
    """Changes to listeners wait for each other; nothing here ever waits for a connection."""

    def __init__(self, seed: int = 0, mode: Mode = SANE) -> None:
        self.mode = mode
        self._seed = seed
        self.traffic = Traffic()
        self._budget = Budget()
        self._by_name: dict[str, Proxy] = {}
        self._lock = asyncio.Lock()

    def all(self) -> list[Proxy]:
        """Sorted by name."""
        return [self._by_name[name] for name in sorted(self._by_name)]

    def get(self, name: str) -> Proxy:
        """Refused 404 if there is none."""
        if name not in self._by_name:
            raise Refused(404, "proxy not found")
        return self._by_name[name]

    async def create(self, setting: Setting, extras: Extras = NO_EXTRAS) -> Proxy:
        """Refused 409 if the name is taken, 500 if it cannot listen."""
        async with self._lock:
            if setting.name in self._by_name:
                raise Refused(409, "proxy already exists")
            return await self._add(setting, extras)

    async def configure(
        self, name: str, change: Callable[[Setting], Setting], extras: Extras = NO_EXTRAS
    ) -> Proxy:
        """Change a proxy. Refused 404 if there is none, 500 if it cannot listen."""
        async with self._lock:
            proxy = self.get(name)
            await proxy.configure(change(proxy.setting))
            proxy.take(extras)
            return proxy

    async def delete(self, name: str) -> None:
        """Refused 404 if there is none."""
        async with self._lock:
            self.get(name).close()
            del self._by_name[name]

    async def reset(self) -> None:
        """Enable every proxy and take off every toxic."""
        async with self._lock:
            for proxy in self.all():
                for placement in proxy.toxics:
                    proxy.toxics.remove(placement.name)
                await proxy.configure(replace(proxy.setting, enabled=True))

    async def populate(self, wanted: Sequence[tuple[Setting, Extras]], made: list[Proxy]) -> None:
        """Create what is not there and replace what listens or leads elsewhere; appends each to `made`.

        What is there already keeps its toxics, but for those that the extras put.
        """
        async with self._lock:
            for setting, extras in wanted:
                known = self._by_name.get(setting.name)
                if known is None or not known.same_place(setting):
                    if known is not None:
                        known.close()
                        del self._by_name[setting.name]
                    known = await self._add(setting, extras)
                else:
                    known.take(extras)
                made.append(known)

    async def close(self) -> None:
        """Stop all of them."""
        async with self._lock:
            for proxy in self._by_name.values():
                proxy.close()
            self._by_name.clear()

    async def _add(self, setting: Setting, extras: Extras) -> Proxy:
        """All extras are there before the first caller can come."""
        proxy = Proxy(setting, self._seed, self.traffic, self._budget, self.mode)
        proxy.take(extras)
        try:
            await proxy.configure(setting)
        except (Refused, asyncio.CancelledError):
            proxy.close()
            raise
        self._by_name[setting.name] = proxy
        return proxy


PROXIES = web.AppKey("proxies", Proxies)  # where the control plane's routes find them
