"""Every difference between the original and our server, seen on both: none is missing, none is made up."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import aiohttp
import pytest
from yarl import URL

from faults.toxiproxy import connection
from tests.faults.toxiproxy.deviations import DEVIATIONS
from tests.faults.toxiproxy.servers import ALL, connect, echo, hang_up, worker
from tests.faults.toxiproxy.stand import PATIENCE_S, Stand, ending, exchange, opened, standing

pytestmark = pytest.mark.real

RESTORED = {each.name: each.restored for each in DEVIATIONS}
Probe = Callable[[Stand], Awaitable[Any]]


@dataclass(frozen=True)
class Difference:
    """A probe, and what it sees on either server."""

    probe: Probe
    original: Any
    ours: Any


DIFFERENCES: dict[str, Difference] = {}


def shows(name: str, *, original: Any, ours: Any) -> Callable[[Probe], Probe]:
    def note(probe: Probe) -> Probe:
        DIFFERENCES[name] = Difference(probe, original, ours)
        return probe

    return note


def test_each_difference_in_the_list_is_seen_and_no_other() -> None:
    assert list(DIFFERENCES) == [each.name for each in DEVIATIONS]
    assert all(each.original != each.ours for each in DIFFERENCES.values())


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("name", RESTORED)
async def test_a_server_does_as_the_list_says(kind: str, name: str) -> None:
    as_original = kind == "real" or (kind == "strict" and RESTORED[name])
    difference = DIFFERENCES[name]
    async with standing(kind) as stand:
        seen = await difference.probe(stand)
    assert seen == (difference.original if as_original else difference.ours)


# report 10: envoy#2067
@shows("half-close", original=b"", ours=b"answer to question")
async def _(stand: Stand) -> bytes:
    async def answer_after_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = await reader.read()
        await asyncio.sleep(0.05)
        writer.write(b"answer to " + question)

    async with worker(answer_after_end) as address:
        reader, writer = await connect(await stand.proxy(address))
        writer.write(b"question")
        writer.write_eof()
        came, _ = await ending(reader)
        await hang_up(writer)
        return came


# report 2: toxiproxy#603
@shows("toxicity 0 of reset_peer", original="RST", ours="FIN")
async def _(stand: Stand) -> str:
    seen: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def note_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.read(1))
        seen.set_result((await ending(reader))[1])

    async with worker(note_the_end) as address:
        listen = await stand.proxy(address)
        await stand.add("reset_peer", toxicity=0)
        _, writer = await opened(listen)
        await hang_up(writer)
        return await seen


@shows("toxicity 0 of timeout", original="FIN", ours="open")
async def _(stand: Stand) -> str:
    async with worker(echo) as address:
        listen = await stand.proxy(address)
        await stand.add("timeout", toxicity=0)
        reader, writer = await opened(listen)
        await stand.remove()
        _, how = await ending(reader, 0.2)
        await hang_up(writer)
        return how


async def lots(stand: Stand, change: Callable[[int], Awaitable[object]]) -> int:
    """How many lots one connection has drawn from a toxic on half of them, through 16 changes.

    Ours with seed 0 has the toxic work on the first connection: so nothing but a new lot can make it faster.
    """
    async with worker(echo) as address:
        listen = await stand.proxy(address)
        await stand.add("latency", toxicity=0.5, latency=20)
        streams = await opened(listen)
        loop, seen = asyncio.get_running_loop(), set()
        for turn in range(16):
            await change(turn)
            began_s = loop.time()
            await exchange(streams)
            seen.add(loop.time() - began_s >= 0.0199)
        await hang_up(streams[1])
        return len(seen)


@shows("update draws again", original=2, ours=1)
async def _(stand: Stand) -> int:
    return await lots(stand, lambda _: stand.update({}))


@shows("neighbour draws again", original=2, ours=1)
async def _(stand: Stand) -> int:
    return await lots(stand, lambda turn: stand.remove("n") if turn % 2 else stand.add("noop", name="n"))


@shows("timeout spared later", original=(b"kept", "open"), ours=(b"", "FIN"))
async def _(stand: Stand) -> tuple[bytes, str]:
    async with worker(echo) as address:
        listen = await stand.proxy(address)
        await stand.add("timeout", "upstream")
        reader, writer = await connect(listen)
        writer.write(b"lost")
        await asyncio.sleep(0.05)
        await stand.update({"toxicity": 0})
        writer.write(b"kept")
        seen = await ending(reader, 0.5)
        await hang_up(writer)
        return seen


@shows("reset_peer on a live connection", original="FIN", ours="RST")
async def _(stand: Stand) -> str:
    async with worker(echo) as address:
        reader, writer = await opened(await stand.proxy(address))
        await stand.add("reset_peer", "upstream", timeout=20)
        writer.write(b"x")
        _, how = await ending(reader)
        await hang_up(writer)
        return how


@shows("attributes out of range", original=[200] * 7, ours=[400] * 7)
async def _(stand: Stand) -> list[int]:
    await stand.proxy("127.0.0.1:9")
    return [
        await stand.add("latency", name="a", latency=-100),
        await stand.add("latency", name="b", jitter=-5),
        await stand.add("limit_data", name="c", bytes=-1),
        await stand.add("timeout", name="d", timeout=-1),
        await stand.add("slow_close", name="e", delay=-1),
        await stand.add("reset_peer", name="f", timeout=-1),
        await stand.add("slicer", name="g", average_size=4, delay=-1),
    ]


@shows("toxicity out of range", original=[7, -1], ours=[None, None])
async def _(stand: Stand) -> list[float | None]:
    await stand.proxy("127.0.0.1:9")
    await stand.add("noop", name="a", toxicity=7)
    await stand.add("noop", name="b", toxicity=-1)
    return [(await stand.shown(name)).get("toxicity") for name in "ab"]


@shows(
    "failed update",
    original=({"latency": 5, "jitter": 7}, 1, {"latency": 11, "jitter": 7}, 1),
    ours=({"latency": 5, "jitter": 1}, 1, {"latency": 5, "jitter": 1}, 1),
)
async def _(stand: Stand) -> tuple[Any, ...]:
    await stand.proxy("127.0.0.1:9")
    await stand.add("latency", latency=5, jitter=1)
    seen: list[Any] = []
    for body in (
        {"attributes": {"latency": 1.5, "jitter": 7}, "toxicity": 0.5},
        {"toxicity": "half", "attributes": {"latency": 11}},
    ):
        assert await stand.update(body) == 400
        shown = await stand.shown()
        seen += [shown["attributes"], shown["toxicity"]]
    return tuple(seen)


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
    with socket.socket() as full, patch.object(connection, "DIAL_LIMIT_S", 0.2):
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(4)]  # fill its backlog: further dials get no answer
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        reader, writer = await connect(await stand.proxy(f"127.0.0.1:{full.getsockname()[1]}"))
        _, how = await ending(reader)
        await hang_up(writer)
        for each in waiting:
            each.close()
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
