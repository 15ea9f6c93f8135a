"""A child process for the proxies' sake: started, heard, and ended for certain."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess

import psutil

from harness.errors import CleanupUnverified, EnvironmentFault
from harness.serving.process_start import begin
from harness.serving.proxy_guardian import Up
from harness.serving.readable import readable

START_LIMIT_S = 30.0
STOP_LIMIT_S = 3.0

_LOOK_S = 0.005


@dataclass(frozen=True, slots=True)
class Child:
    """A child that is up."""

    port: int  # of the control API
    server_pid: int
    pids: tuple[int, ...]  # the child and, if it is another process, the server: all gone after leaving


@asynccontextmanager
async def child(
    context: ForkServerContext, what: str, entry: Callable[..., None], *args: object
) -> AsyncIterator[Child]:
    """Run `entry(pipe, *args)` in a process. It must send `Up` or a line that says why not.

    Leaving closes the pipe, which tells it to end, and sees that it has. Raises EnvironmentFault if it does
    not come up, CleanupUnverified if it is still there after SIGKILL.
    """
    pipe, theirs = context.Pipe()
    process = context.Process(target=entry, args=(theirs, *args), name=what, daemon=True)
    with pipe:
        with theirs:
            begin(process)
        server = None
        try:
            up = await _hear(what, process, pipe)
            server = psutil.Process(up.pid)
            yield Child(up.port, up.pid, tuple({process.pid or up.pid, up.pid}))
        finally:
            pipe.close()
            await _end(what, process, server)


async def _hear(what: str, process: BaseProcess, pipe: Connection) -> Up:
    try:
        async with asyncio.timeout(START_LIMIT_S):
            await readable(pipe)
        told = pipe.recv()
    except TimeoutError:
        told = f"it was not up after {START_LIMIT_S:g} s"
    except (EOFError, ConnectionError):
        await _gone(process.is_alive)
        told = f"its process ended while starting (exit code {process.exitcode})"
    if isinstance(told, Up):
        return told
    raise EnvironmentFault(f"the {what} did not start: {told}. Choose another with --toxiproxy")


async def _end(what: str, process: BaseProcess, server: psutil.Process | None) -> None:
    """Wait for the child to end by itself, then make it. The server may have outlived a killed guardian."""
    if not await _gone(process.is_alive):
        process.kill()
    if server is not None and not await _gone(lambda: _runs(server)):
        server.kill()
    if not await _gone(process.is_alive) or (server is not None and not await _gone(lambda: _runs(server))):
        pids = {process.pid, server.pid if server else process.pid}
        raise CleanupUnverified(f"the {what} (process {pids}) still runs after SIGKILL. End it by hand")


async def _gone(alive: Callable[[], bool]) -> bool:
    """Whether it ends within the stop limit."""
    for _ in range(int(STOP_LIMIT_S / _LOOK_S)):
        if not alive():
            return True
        await asyncio.sleep(_LOOK_S)
    return not alive()


def _runs(server: psutil.Process) -> bool:
    """A zombie runs no more, and another process with the same number is not it."""
    try:
        return server.is_running() and server.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
