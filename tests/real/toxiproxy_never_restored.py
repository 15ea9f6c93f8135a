"""Probes for what strict_compat leaves as ours: crashes, hangs, and what no client depends on."""

import asyncio
import json
import socket
from collections.abc import Awaitable
from contextlib import suppress
from unittest.mock import patch

import aiohttp
from yarl import URL

from faults.toxiproxy import connection
from tests.faults.toxiproxy.difference import shows
from tests.faults.toxiproxy.servers import connect, echo, hang_up, mute, worker
from tests.faults.toxiproxy.stand import PATIENCE_S, Stand, ending, opened, standing


async def survives(stand: Stand, kind: str, patience_s: float = 20.0, **attributes: int) -> tuple[int, bool]:
    """The status of adding a toxic, and whether the server lives on when data comes."""
    async with worker(echo) as address:
        listen = await stand.proxy(address)
        status = await stand.add(kind, **attributes)
        reader, writer = await connect(listen)
        writer.write(bytes(5_000))
        with suppress(TimeoutError, ConnectionError, asyncio.IncompleteReadError):
            await asyncio.wait_for(reader.readexactly(5_000), patience_s)
        await hang_up(writer)
        return status, await stand.lives()


@shows("slicer without a size", original=(200, False), ours=(200, True))
async def _(stand: Stand) -> tuple[int, bool]:
    return await survives(stand, "slicer")


@shows("slicer with more variation than size", original=(200, False), ours=(400, True))
async def _(stand: Stand) -> tuple[int, bool]:
    return await survives(stand, "slicer", average_size=1, size_variation=5)


@shows("negative bandwidth", original=(200, False), ours=(400, True))
async def _(stand: Stand) -> tuple[int, bool]:
    return await survives(stand, "bandwidth", rate=-1)


@shows("enormous jitter", original=False, ours=True)
async def _(stand: Stand) -> bool:
    patience_s = 0.3 if stand.kind == "strict" else 20.0  # there data is held for weeks
    return (await survives(stand, "latency", patience_s, jitter=2**62))[1]


# report 1: Shopify/toxiproxy#558
@shows("reader that stopped", original=(False, False), ours=(True, True))
async def _(stand: Stand) -> tuple[bool, bool]:
    """Whether the removal is answered, and other calls meanwhile."""

    async def pour(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(bytes(65536))
            await writer.drain()

    async with worker(pour) as address:
        listen = await stand.proxy(address)
        await stand.add("latency", latency=1)
        with socket.create_connection(listen.split(":")):  # and never read from
            await asyncio.sleep(0.5)  # until all buffers between are full
            removed = asyncio.create_task(answers(stand.remove()))
            await asyncio.sleep(0.05)
            listed = await answers(stand.call("GET", "/proxies"))
            return await removed, listed


async def answers(call: Awaitable[object]) -> bool:
    try:
        await asyncio.wait_for(call, PATIENCE_S)
    except (TimeoutError, aiohttp.ClientError):
        return False
    return True


@shows("removal of reset_peer", original=(True, b"", "RST"), ours=(False, b"x", "open"))
async def _(stand: Stand) -> tuple[bool, bytes, str]:
    """Whether removal takes as long as the toxic waits, and what becomes of the connection."""
    async with worker(echo) as address:
        listen = await stand.proxy(address)
        await stand.add("reset_peer", timeout=500)
        reader, writer = await connect(listen)
        writer.write(b"x")
        await asyncio.sleep(0.05)
        began_s = asyncio.get_running_loop().time()
        await stand.remove()
        waits = asyncio.get_running_loop().time() - began_s > 0.3
        seen = await ending(reader, 0.5)
        await hang_up(writer)
        return waits, *seen


@shows("dial without an answer", original="open", ours="FIN")
async def _(stand: Stand) -> str:
    with mute() as address, patch.object(connection, "DIAL_LIMIT_S", 0.2):
        reader, writer = await connect(await stand.proxy(address))
        _, how = await ending(reader)
        await hang_up(writer)
        return how


# report 5: toxiproxy#610
@shows("seed", original=False, ours=True)
async def _(stand: Stand) -> bool:
    """Whether the same seed picks the same connections, and another others."""
    picks = [await picked(stand.kind, seed) for seed in (7, 7, 8)]
    return picks[0] == picks[1] != picks[2]


async def picked(kind: str, seed: int) -> list[bool]:
    """Which of 24 connections, one after the other, a toxic on half of them works on."""
    async with standing(kind, seed) as stand, worker(echo) as address:
        listen = await stand.proxy(address)
        await stand.add("limit_data", toxicity=0.5)
        seen = []
        for _ in range(24):
            reader, writer = await connect(listen)
            writer.write(b"x")
            seen.append(await reader.read(1) == b"")
            await hang_up(writer)
        return seen


@shows(
    "listen address",
    original="listen tcp 192.0.2.1:0: bind: cannot assign requested address",
    ours="listen 192.0.2.1:0: only loopback is served here; use 127.0.0.1:0",
)
async def _(stand: Stand) -> str:
    """Asked for with an address that no machine has, so that nothing is opened to the world."""
    wanted = {"name": "p", "listen": "192.0.2.1:0", "upstream": "127.0.0.1:9"}
    return str(json.loads((await stand.call("POST", "/proxies", wanted))[1])["error"])


@shows("byte counters", original=False, ours=True)
async def _(stand: Stand) -> bool:
    """Whether bytes of an open connection are counted."""
    async with standing(stand.kind, metrics=True) as metered, worker(echo) as address:
        streams = await opened(await metered.proxy(address))
        _, text = await metered.call("GET", "/metrics")
        await hang_up(streams[1])
        return "toxiproxy_proxy_received_bytes_total{" in text


@shows("name with a slash", original=404, ours=200)
async def _(stand: Stand) -> int:
    await stand.proxy("127.0.0.1:9", "a/b")
    url = URL(stand.url + "/proxies/a%2Fb", encoded=True)
    async with stand.session.get(url) as answer:
        return answer.status


@shows(
    "decoder's words",
    original="bad request body: unexpected EOF",
    ours="bad request body: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
)
async def _(stand: Stand) -> str:
    return str(json.loads((await stand.call("POST", "/proxies", "{"))[1])["error"])


@shows("version", original=False, ours=True)
async def _(stand: Stand) -> bool:
    return "embedded" in json.loads((await stand.call("GET", "/version"))[1])["version"]
