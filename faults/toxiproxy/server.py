"""Our own Toxiproxy server: the same wire, in plain asyncio, for machines that have no other."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from faults.toxiproxy import api, extended_api
from faults.toxiproxy.address import join, listen_address
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.metrics import add_metrics
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.proxies import Proxies

_IDLE_LIMIT_S = 60.0  # for a connection to the control plane, as in the original
_GRACE_S = 1.0  # for control calls under way when the server stops


def _is_ours(record: logging.LogRecord) -> bool:
    """aiohttp logs what is no HTTP as an error, with a traceback. It got its 400, and is no defect here."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


_log = logging.getLogger(__name__)
_log.addFilter(_is_ours)


@asynccontextmanager
async def serve(
    port: int = 0,
    seed: int = 0,
    mode: Mode = SANE,
    *,
    host: str = "127.0.0.1",
    config: bytes | None = None,
    proxy_metrics: bool = False,
    runtime_metrics: bool = False,
) -> AsyncIterator[int]:
    """Serve the control API and give its port. Leaving closes every proxy and connection.

    `seed` fixes every chance: which connections a toxic works on, and each jitter. `config` is JSON, what
    POST /x/populate takes: proxies, perhaps with toxics. The metrics are what GET /metrics shows.

    `host` is a loopback address. OSError if the port is taken, port 0 takes a free one; Refused, and nothing
    is served, for another host or a `config` that is wrong in any way. In strict_compat a wrong `config` is
    a line of the log, and its toxics are ignored.
    """
    where = listen_address(join(host, port))
    proxies = Proxies(seed, mode)
    app = api.application(proxies)
    add_metrics(app, proxies.traffic, proxies=proxy_metrics, runtime=runtime_metrics)
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=_log,
        shutdown_timeout=_GRACE_S,
        keepalive_timeout=_IDLE_LIMIT_S,
    )
    await runner.setup()
    try:
        if config is not None:
            await _populate(proxies, config)
        listener = socket.create_server(where, family=socket.AF_INET6 if ":" in where[0] else socket.AF_INET)
        await web.SockSite(runner, listener).start()
        yield listener.getsockname()[1]
    finally:
        await proxies.close()
        await runner.cleanup()
        await asyncio.sleep(0)  # aborted sockets are closed in the loop's next turn


async def _populate(proxies: Proxies, config: bytes) -> None:
    if not proxies.mode.strict_compat:
        await extended_api.populate(proxies, config)
        return
    try:
        await api.populate(proxies, config, [])
    except Refused as refused:
        _log.error("failed to populate proxies from file: %s", refused.text)
