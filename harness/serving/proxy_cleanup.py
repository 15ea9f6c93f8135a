"""Taking one run's proxies off a Toxiproxy server, and seeing that they are gone."""

import asyncio

from faults.toxiproxy.client import Proxy, ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError

REPLACE_TRIES = 10
REPLACE_PAUSE_S = 0.1


def is_of_run(proxy: str, run_name: str) -> bool:
    """Whether a proxy of that name belongs to the run."""
    return proxy.startswith(f"{run_name}.")


async def clear(client: ToxiproxyClient, run_name: str) -> tuple[str, ...]:
    """Delete every proxy named `run_name.*`. The names of those that are still there after.

    Nothing else on the server is touched. Raises ToxiproxyError when the server does not answer.
    """
    await client.settled()  # a call that was given up may still have made a proxy
    for name in await _of_run(client, run_name):
        await client.delete(name)
    return await _of_run(client, run_name)


async def _of_run(client: ToxiproxyClient, run_name: str) -> tuple[str, ...]:
    return tuple(name for name in await client.list() if is_of_run(name, run_name))


async def recreate(client: ToxiproxyClient, proxy: Proxy) -> None:
    """A proxy that was deleted, as it was but without toxics. Its port may need a moment until it is free."""
    for _ in range(REPLACE_TRIES - 1):
        try:
            await client.create(proxy.name, proxy.listen, proxy.worker)
            return
        except ToxiproxyError:
            await asyncio.sleep(REPLACE_PAUSE_S)
    await client.create(proxy.name, proxy.listen, proxy.worker)
