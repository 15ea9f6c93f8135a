"""Our server with what it can do beyond the original, for tests on real sockets."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from faults.toxiproxy.client import ToxiproxyClient
from tests.faults.toxiproxy.servers import Streams, running


@dataclass
class Api:
    """Our server, called as a program in any language would."""

    client: ToxiproxyClient
    session: aiohttp.ClientSession

    async def call(self, method: str, path: str, value: Any = None) -> tuple[int, Any]:
        """Status, and the JSON of the answer if there is one."""
        async with self.session.request(method, self.client.url + path, json=value) as answer:
            text = await answer.text()
            return answer.status, await answer.json(content_type=None) if text else None

    async def create(self, address: str, **more: Any) -> str:
        """A proxy `p` with extras; where it listens."""
        wanted = {"name": "p", "listen": "127.0.0.1:0", "upstream": address, **more}
        status, shown = await self.call("POST", "/x/proxies", wanted)
        assert status == 201, shown
        return shown["listen"]


@asynccontextmanager
async def extended_api(seed: int = 7) -> AsyncIterator[Api]:
    """Of a server without proxies."""
    async with running("embedded", seed=seed) as url, aiohttp.ClientSession() as session:
        yield Api(ToxiproxyClient(url), session)


def latency(ms: int, **more: Any) -> dict[str, Any]:
    return {"type": "latency", "attributes": {"latency": ms}, **more}


async def round_trip_s(streams: Streams) -> float:
    reader, writer = streams
    start_s = time.perf_counter()
    writer.write(b"x")
    assert await asyncio.wait_for(reader.read(1), 10) == b"x"
    return time.perf_counter() - start_s
