"""A probe's connection over HTTP, on bare streams, so that the time of each byte is seen."""

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

from harness.serving.probe import BODY_BYTES, PROBE

_READ_BYTES = 2**16
_HEAD_END = b"\r\n\r\n"


class HttpLine:
    """To what is at `url` (http://host:port)."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self._host, self._port = where.hostname or "127.0.0.1", where.port or 80
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._head = b""  # what came up to the body, and a little of that
        self._taken_bytes = 0

    async def open(self) -> None:
        self._streams = await asyncio.open_connection(self._host, self._port)

    def ask(self) -> None:
        request = f"GET {PROBE} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n\r\n"
        self._writer.write(request.encode())

    async def take(self) -> int:
        data = await self._reader.read(_READ_BYTES)
        self._taken_bytes += len(data)
        if _HEAD_END not in self._head:
            self._head += data
        return len(data)

    def is_whole(self) -> bool:
        head, end, _ = self._head.partition(_HEAD_END)
        return bool(end) and self._taken_bytes >= len(head) + len(end) + BODY_BYTES

    def say_goodbye(self) -> None:
        self._writer.write_eof()

    async def close(self) -> None:
        if self._streams is not None:
            self._writer.transport.abort()
            with suppress(OSError):
                await self._writer.wait_closed()

    @property
    def _reader(self) -> asyncio.StreamReader:
        return self._open()[0]

    @property
    def _writer(self) -> asyncio.StreamWriter:
        return self._open()[1]

    def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            raise RuntimeError("a line is opened before it is used")
        return self._streams
