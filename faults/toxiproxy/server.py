"""Our own Toxiproxy server: the same wire, in plain asyncio, for machines that have no other."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from faults.toxiproxy.api import application
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.proxies import Proxies

_GRACE_S = 1.0  # for control calls under way when the server stops


@asynccontextmanager
async def serve(port: int = 0, seed: int = 0, mode: Mode = SANE) -> AsyncIterator[int]:
    """Serve the control API on 127.0.0.1 and give its port. Leaving closes every proxy and connection.

    `seed` fixes every chance: which connections a toxic works on, and each jitter. OSError if the port is
    taken; port 0 takes a free one.
    """
    proxies = Proxies(seed, mode)
    runner = web.AppRunner(application(proxies), access_log=None, shutdown_timeout=_GRACE_S)
    await runner.setup()
    try:
        listener = socket.create_server(("127.0.0.1", port))
        await web.SockSite(runner, listener).start()
        yield listener.getsockname()[1]
    finally:
        await proxies.close()
        await runner.cleanup()
        await asyncio.sleep(0)  # aborted sockets are closed in the loop's next turn
