"""Probes for what strict_compat restores. Each tells the original's way from ours."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.faults.toxiproxy.difference import shows
from tests.faults.toxiproxy.servers import connect, echo, hang_up, worker
from tests.faults.toxiproxy.stand import Stand, ending, exchange, opened


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
