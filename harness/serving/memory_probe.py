"""A probe's connection in memory, and the worker's side of it."""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from faults.toxiproxy.chunk import End
from harness.serving.memory_connection import MemoryConnection
from harness.serving.probe import BODY_BYTES, PIECES

if TYPE_CHECKING:
    from harness.serving.memory_link import MemoryLink

# What HTTP sends, measured on a real link (tests/real/test_link_parity.py compares).
PROBE_REQUEST_BYTES = 52
PROBE_HEAD_BYTES = 178


class MemoryLine:
    """A new connection of `link` for one probe."""

    def __init__(self, link: "MemoryLink") -> None:
        self._link = link
        self._connection: MemoryConnection | None = None
        self._answering: asyncio.Task[None] | None = None
        self._come: deque[int] = deque()  # sizes, not yet taken
        self._taken_bytes = 0
        self._ended: End | None = None
        self._news = asyncio.Event()

    async def open(self) -> None:
        if self._link.down:
            raise ConnectionRefusedError(f"{self._link.worker.name} is gone")
        self._connection = self._link.connect()
        self._connection.on_lost = self._lost
        _, back = self._connection.lay()
        back.heard = self._hear

    def ask(self) -> None:
        self._answering = asyncio.create_task(self._answer())

    async def take(self) -> int:
        while not self._come and self._ended is None:
            self._news.clear()
            await self._news.wait()
        if self._ended is End.RESET:
            raise ConnectionResetError(f"the connection to {self._link.worker.name} was reset")
        if not self._come:
            return 0
        size = self._come.popleft()
        self._taken_bytes += size
        return size

    def is_whole(self) -> bool:
        return self._taken_bytes >= PROBE_HEAD_BYTES + BODY_BYTES

    def say_goodbye(self) -> None:
        there, _ = self._connected.lay()
        there.end()

    async def close(self) -> None:
        if self._answering is not None:
            self._answering.cancel()
            await asyncio.wait([self._answering])
        if self._connection is not None:
            self._link.leave(self._connection)

    async def _answer(self) -> None:
        """The request on its way, then the worker's side."""
        there, back = self._connected.lay()
        await asyncio.sleep(self._link.link_s)
        arrived = asyncio.Event()
        there.send(PROBE_REQUEST_BYTES, arrived.set)
        await arrived.wait()
        head_bytes = PROBE_HEAD_BYTES
        for after_s, size in PIECES:
            await asyncio.sleep(after_s)
            await self._link.halt.over()
            back.send(head_bytes + size, _nothing)
            head_bytes = 0

    @property
    def _connected(self) -> MemoryConnection:
        if self._connection is None:
            raise RuntimeError("a line is opened before it is used")
        return self._connection

    def _hear(self, size: int) -> None:
        self._come.append(size)
        self._news.set()

    def _lost(self, how: End) -> None:
        self._ended = how
        self._news.set()


def _nothing() -> None:
    """Bytes are told as they come; that a piece is complete is no news."""
