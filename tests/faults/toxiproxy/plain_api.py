"""A server's control API with one disabled proxy `a`: no port of chance is in its answers, byte for byte."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from tests.faults.toxiproxy.servers import running

JSON = "application/json"
PLAIN = "text/plain; charset=utf-8"
OFF_AT = {"listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
OFF = (
    '{"name":"%s","listen":"127.0.0.1:1","upstream":"127.0.0.1:9","enabled":false,"Logger":{},"toxics":[%s]}'
)
TIMEOUT = '{"attributes":{"timeout":0},"name":"hole","type":"timeout","stream":"downstream","toxicity":1}'


@dataclass
class Api:
    """Calls, and all that their answers say."""

    url: str
    session: aiohttp.ClientSession

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str, str]:
        """Status, content type and body."""
        data = json.dumps(body) if isinstance(body, dict | list) else body
        async with self.session.request(method, self.url + path, data=data, headers=headers) as answer:
            return answer.status, answer.headers.get("Content-Type", ""), await answer.text()

    async def create(self, name: str) -> None:
        """One more that is disabled."""
        assert (await self.call("POST", "/proxies", {"name": name} | OFF_AT))[0] == 201


@asynccontextmanager
async def plain_api(kind: str) -> AsyncIterator[Api]:
    """Of a server of that kind."""
    async with running(kind) as url, aiohttp.ClientSession() as session:
        api = Api(url, session)
        await api.create("a")
        yield api


def error(status: int, text: str) -> tuple[int, str, str]:
    """What a call gives that is turned down."""
    return status, PLAIN, f'{{"error":"{text}","status":{status}}}\n'
