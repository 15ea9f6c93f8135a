"""A Toxiproxy server of any kind with a client of its bare wire, for tests that compare kinds."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.faults.toxiproxy.servers import Streams, connect, echo, hang_up, running, worker

BUSY_S = 0.5  # how late something may come on a busy machine
PATIENCE_S = 1.0  # for what may never come; what does come takes milliseconds


@dataclass
class Stand:
    """The control API of one server, in its own words."""

    kind: str
    url: str
    session: aiohttp.ClientSession

    async def call(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """Status and body. `body` is JSON, or text as it stands."""
        data = body if isinstance(body, str | None) else json.dumps(body)
        async with self.session.request(method, self.url + path, data=data) as answer:
            return answer.status, await answer.text()

    async def proxy(self, upstream: str, name: str = "p") -> str:
        """A new proxy; where it listens."""
        wanted = {"name": name, "listen": "127.0.0.1:0", "upstream": upstream}
        status, text = await self.call("POST", "/proxies", wanted)
        assert status == 201, text
        return str(json.loads(text)["listen"])

    async def add(
        self, kind: str, stream: str = "downstream", name: str = "t", toxicity: float = 1, **attributes: int
    ) -> int:
        """Put a toxic on proxy p; the status."""
        wanted = {
            "type": kind,
            "stream": stream,
            "name": name,
            "toxicity": toxicity,
            "attributes": attributes,
        }
        return (await self.call("POST", "/proxies/p/toxics", wanted))[0]

    async def update(self, body: Any, name: str = "t") -> int:
        """Change a toxic of proxy p; the status."""
        return (await self.call("PATCH", f"/proxies/p/toxics/{name}", body))[0]

    async def remove(self, name: str = "t") -> int:
        """Take a toxic off proxy p; the status."""
        return (await self.call("DELETE", f"/proxies/p/toxics/{name}"))[0]

    async def shown(self, name: str = "t") -> dict[str, Any]:
        """A toxic of proxy p."""
        shown: dict[str, Any] = json.loads((await self.call("GET", f"/proxies/p/toxics/{name}"))[1])
        return shown

    async def lives(self) -> bool:
        """Whether it still answers."""
        try:
            return (await self.call("GET", "/version"))[0] == 200
        except aiohttp.ClientError:
            return False


@asynccontextmanager
async def standing(kind: str, seed: int = 0, *, metrics: bool = False) -> AsyncIterator[Stand]:
    """A server of that kind, without proxies."""
    async with running(kind, seed, metrics=metrics) as url, aiohttp.ClientSession() as session:
        yield Stand(kind, url, session)


async def ending(reader: asyncio.StreamReader, patience_s: float = PATIENCE_S) -> tuple[bytes, str]:
    """What still comes, and how it ends: FIN, RST, or open if it does not end in time."""
    came = b""
    try:
        async with asyncio.timeout(patience_s):
            while data := await reader.read(65536):
                came += data
    except ConnectionResetError:
        return came, "RST"
    except TimeoutError:
        return came, "open"
    return came, "FIN"


async def exchange(streams: Streams, said: bytes = b"x") -> bytes:
    """Say something to an echo and hear it."""
    reader, writer = streams
    writer.write(said)
    return await asyncio.wait_for(reader.readexactly(len(said)), PATIENCE_S * 5)


async def opened(listen: str) -> Streams:
    """A connection that has gone through to an echo."""
    streams = await connect(listen)
    await exchange(streams)
    return streams


@dataclass
class Echo:
    """An echo behind proxy p of a server."""

    stand: Stand
    listen: str
    streams: list[Streams] = field(default_factory=list)

    async def opened(self) -> Streams:
        """A connection through which an echo has come already."""
        self.streams.append(await opened(self.listen))
        return self.streams[-1]

    async def connected(self) -> Streams:
        """A connection on which nothing was said yet."""
        self.streams.append(await connect(self.listen))
        return self.streams[-1]


@asynccontextmanager
async def echoing(kind: str) -> AsyncIterator[Echo]:
    """A server of that kind with an echo behind it; its connections are closed at the end."""
    async with standing(kind) as stand, worker(echo) as address:
        through = Echo(stand, await stand.proxy(address))
        yield through
        await hang_up(*(writer for _, writer in through.streams))


async def took_s(streams: Streams, said: bytes = b"x") -> float:
    """How long an echo takes."""
    began_s = time.perf_counter()
    assert await exchange(streams, said) == said
    return time.perf_counter() - began_s


def about(asked_s: float, seen_s: float) -> bool:
    """Not before its time, and as late as on a busy machine."""
    return asked_s - 0.002 <= seen_s <= asked_s + BUSY_S
