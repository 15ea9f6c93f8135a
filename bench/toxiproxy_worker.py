"""What stands behind the proxies that are measured: answers small questions, and pours out megabytes."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection

from harness.serving.orphan import die_with_parent
from harness.serving.pool import forkserver_context
from harness.serving.proxy_child import child
from harness.serving.proxy_guardian import Up
from harness.serving.readable import readable

QUESTION_BYTES = 64  # and as many back: eight bytes that say how much to pour, then nothing


@asynccontextmanager
async def bulk_worker() -> AsyncIterator[str]:
    """Its host:port, meanwhile, in a process of its own."""
    async with child(forkserver_context(), "bulk worker", _main) as running:
        yield f"127.0.0.1:{running.port}"


def question(pour_bytes: int) -> bytes:
    """Asks for so many bytes."""
    return pour_bytes.to_bytes(8, "big").ljust(QUESTION_BYTES, b".")


def _main(main: Connection) -> None:
    die_with_parent()
    asyncio.run(_serve(main))


async def _serve(main: Connection) -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    server = await asyncio.get_running_loop().create_server(_Pour, sock=listener)
    async with server:
        main.send(Up(os.getpid(), listener.getsockname()[1]))
        await readable(main)


class _Pour(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._asked = b""

    def data_received(self, data: bytes) -> None:
        self._asked += data
        while len(self._asked) >= QUESTION_BYTES:
            self._transport.write(bytes(int.from_bytes(self._asked[:8], "big")))
            self._asked = self._asked[QUESTION_BYTES:]
