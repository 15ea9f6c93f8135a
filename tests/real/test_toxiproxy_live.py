"""Open connections while toxics and proxies come, change and go: the same on the original and on ours."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tests.faults.toxiproxy.servers import ALL, Streams, connect, hang_up, worker
from tests.faults.toxiproxy.stand import Echo, about, echoing, ending, took_s

pytestmark = pytest.mark.real


@pytest.fixture(params=ALL)
async def through(request: pytest.FixtureRequest) -> AsyncIterator[Echo]:
    async with echoing(request.param) as through:
        yield through


async def test_a_live_connection_feels_each_change_at_once(through: Echo) -> None:
    streams = await through.opened()
    assert await through.stand.add("latency", latency=80) == 200
    assert about(0.08, await took_s(streams))
    assert await through.stand.update({"attributes": {"latency": 400}}) == 200
    assert about(0.4, await took_s(streams))
    assert await through.stand.remove() == 204
    assert await took_s(streams) < 0.4


async def test_removal_releases_what_latency_holds(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("latency", latency=5_000)
    writer.write(b"held")
    await asyncio.sleep(0.05)
    began_s = time.perf_counter()
    await through.stand.remove()
    assert await asyncio.wait_for(reader.readexactly(4), 5) == b"held"
    assert time.perf_counter() - began_s < 1.0


async def test_no_byte_is_lost_when_toxics_come_change_and_go(through: Echo) -> None:
    reader, writer = await through.opened()
    sent = bytes(n * 7 % 251 for n in range(400_000))

    async def change() -> None:
        stand = through.stand
        for turn in range(3):
            await stand.add("latency", "upstream", "a", latency=5 + turn, jitter=5)
            await stand.add("slicer", "downstream", "b", average_size=3_000, size_variation=500, delay=100)
            await stand.add("bandwidth", "downstream", "c", rate=2_000 * (turn + 1))
            await asyncio.sleep(0.02)
            await stand.update({"attributes": {"rate": 5_000}}, "c")
            for name in "bac":
                await stand.remove(name)

    async def say() -> None:
        for start in range(0, len(sent), 5_000):
            writer.write(sent[start : start + 5_000])
            await writer.drain()
            await asyncio.sleep(0.001)

    changing, saying = asyncio.create_task(change()), asyncio.create_task(say())
    assert await asyncio.wait_for(reader.readexactly(len(sent)), 20) == sent
    await asyncio.gather(changing, saying)


async def test_a_slow_reader_slows_its_sender(through: Echo) -> None:
    """Back-pressure: a narrow line holds a few buffers, and the sender the rest."""
    _, writer = await through.opened()
    await through.stand.add("bandwidth", "upstream", rate=1)
    writer.write(bytes(64_000_000))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(writer.drain(), 0.5)
    writer.transport.abort()


async def test_toxicity_is_a_share_of_connections_and_holds_for_all_that_is_said_on_one(
    through: Echo,
) -> None:
    await through.stand.add("latency", toxicity=0.5, latency=40)
    several = [await through.opened() for _ in range(24)]

    async def is_slow(streams: Streams) -> bool:
        return min([await took_s(streams) for _ in range(3)]) >= 0.039

    slow = await asyncio.gather(*map(is_slow, several))
    again = await asyncio.gather(*map(is_slow, several))
    assert 2 <= sum(slow) <= 22  # outside of it: one in 50,000
    assert all(later for first, later in zip(slow, again, strict=True) if first)


async def test_a_worker_that_is_down_shows_as_a_connection_that_ends_at_once(through: Echo) -> None:
    reader, writer = await connect(await through.stand.proxy("127.0.0.1:1", "down"))
    assert await ending(reader) == (b"", "FIN")
    await hang_up(writer)


async def test_disabling_a_proxy_cuts_its_connections_and_keeps_its_toxics(through: Echo) -> None:
    reader, _ = await through.opened()
    await through.stand.add("latency", latency=80)
    await through.stand.call("POST", "/proxies/p", {"enabled": False})
    assert await ending(reader) == (b"", "FIN")
    with pytest.raises(ConnectionRefusedError):
        await connect(through.listen)
    await through.stand.call("POST", "/proxies/p", {"enabled": True})
    assert about(0.08, await took_s(await through.connected()))


async def test_another_worker_cuts_the_connections_to_the_old_one(through: Echo) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"other")

    reader, _ = await through.opened()
    async with worker(greet) as other:
        await through.stand.call("POST", "/proxies/p", {"upstream": other})
        assert await ending(reader) == (b"", "FIN")
        reader, _ = await through.connected()
        assert await ending(reader) == (b"other", "FIN")


async def test_deleting_a_proxy_cuts_its_connections(through: Echo) -> None:
    reader, _ = await through.opened()
    assert (await through.stand.call("DELETE", "/proxies/p"))[0] == 204
    assert await ending(reader) == (b"", "FIN")
    with pytest.raises(ConnectionRefusedError):
        await connect(through.listen)
