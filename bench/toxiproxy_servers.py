"""Toxiproxy servers of each kind in processes of their own, to be measured beside each other."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.server import serve
from harness.errors import EnvironmentFault
from harness.serving.orphan import die_with_parent
from harness.serving.pool import forkserver_context
from harness.serving.proxy_child import child
from harness.serving.proxy_guardian import Up, guard_program
from harness.serving.readable import readable

PROGRAM = "toxiproxy-server"
REAL, OURS, OURS_UVLOOP = "the real server", "ours", "ours with uvloop"


@asynccontextmanager
async def server(kind: str) -> AsyncIterator[ToxiproxyClient]:
    """One of that kind meanwhile. EnvironmentFault if what it needs is not here."""
    context = forkserver_context()
    if kind == REAL:
        starting = child(context, kind, guard_program, _program(), 1)
    else:
        starting = child(context, kind, _serve_ours, kind == OURS_UVLOOP)
    async with starting as running:
        yield ToxiproxyClient(f"http://127.0.0.1:{running.port}")


def _program() -> str:
    found = shutil.which(PROGRAM)
    if found is None:
        raise EnvironmentFault(f"no {PROGRAM} on PATH to measure against. `.ci/run` installs one")
    return found


def _serve_ours(main: Connection, fast: bool) -> None:
    die_with_parent()
    with asyncio.Runner(loop_factory=_uvloop if fast else None) as runner:
        runner.run(_serve(main))


def _uvloop() -> asyncio.AbstractEventLoop:
    import uvloop

    return uvloop.new_event_loop()


async def _serve(main: Connection) -> None:
    async with serve() as port:
        main.send(Up(os.getpid(), port))
        await readable(main)
