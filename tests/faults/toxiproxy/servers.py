"""Toxiproxy servers of both kinds for tests, on ports of their own, and workers to put behind them."""

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress

import psutil
import pytest

from faults.toxiproxy.mode import Mode
from faults.toxiproxy.server import serve

PROGRAM = shutil.which("toxiproxy-server")
needs_program = pytest.mark.skipif(PROGRAM is None, reason="no toxiproxy-server on PATH")
BOTH = [pytest.param("embedded"), pytest.param("real", marks=needs_program)]
ALL = [*BOTH, pytest.param("strict")]  # ours once more, with strict_compat

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def running(kind: str, seed: int = 0, metrics: bool = False) -> AsyncIterator[str]:
    """A server without proxies; the URL of its control API. `metrics` switches both kinds on."""
    if kind in ("embedded", "strict"):
        mode = Mode(strict_compat=kind == "strict")
        async with serve(seed=seed, mode=mode, proxy_metrics=metrics, runtime_metrics=metrics) as port:
            yield f"http://127.0.0.1:{port}"
        return
    process = _start(seed, metrics)
    try:
        yield f"http://127.0.0.1:{await _port(process.pid)}"
    finally:
        process.kill()
        process.wait()


def _start(seed: int, metrics: bool) -> subprocess.Popen[bytes]:
    switches = ["-proxy-metrics", "-runtime-metrics"] if metrics else []
    return subprocess.Popen(
        [PROGRAM, "-host", "127.0.0.1", "-port", "0", "-seed", str(seed), *switches],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@asynccontextmanager
async def worker(serve: Serve) -> AsyncIterator[str]:
    """A TCP server that calls `serve` for each connection; its host:port."""
    under_way: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        under_way.add(asyncio.current_task())
        try:
            with suppress(ConnectionError, asyncio.CancelledError):  # start_server would log either
                await serve(reader, writer)
        finally:
            under_way.discard(asyncio.current_task())
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**20)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


@contextmanager
def mute() -> Iterator[str]:
    """The host:port of a listener whose backlog is full: dialling it gets no answer."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"127.0.0.1:{listener.getsockname()[1]}"


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send back what comes, until it ends."""
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def connect(listen: str) -> Streams:
    host, port = listen.rsplit(":", 1)
    return await asyncio.open_connection(host, int(port))


async def hang_up(*writers: asyncio.StreamWriter) -> None:
    """Close, and wait until the sockets are closed."""
    for writer in writers:
        writer.close()
    for writer in writers:
        with suppress(ConnectionError):
            await writer.wait_closed()


async def _port(pid: int) -> int:
    give_up_s = time.monotonic() + 10
    while time.monotonic() < give_up_s:
        for each in psutil.Process(pid).net_connections("tcp"):
            if each.status == psutil.CONN_LISTEN:
                return int(each.laddr.port)
        await asyncio.sleep(0.01)
    raise TimeoutError("toxiproxy-server does not listen")
