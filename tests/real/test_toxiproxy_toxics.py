"""What each toxic does to bytes on real sockets, in its own units: the same on the original and on ours.

Bounds of time are the toxic's own below and generous above: the machine may be busy.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from tests.faults.toxiproxy.servers import ALL
from tests.faults.toxiproxy.stand import BUSY_S, Echo, about, echoing, ending, exchange, took_s

pytestmark = pytest.mark.real

WAYS = ("upstream", "downstream")


@pytest.fixture(params=ALL)
async def through(request: pytest.FixtureRequest) -> AsyncIterator[Echo]:
    async with echoing(request.param) as through:
        yield through


async def test_latency_is_milliseconds_each_way_and_adds_up(through: Echo) -> None:
    streams = await through.opened()
    await through.stand.add("latency", "downstream", "a", latency=100)
    assert about(0.1, await took_s(streams))
    await through.stand.add("latency", "upstream", "b", latency=60)
    assert about(0.16, await took_s(streams))
    await through.stand.add("latency", "upstream", "c", latency=40)
    assert about(0.2, await took_s(streams))


async def test_latency_counts_from_the_receipt_of_each_chunk(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("latency", latency=150)
    began_s = time.perf_counter()
    for n in range(5):
        writer.write(bytes([n]))
        await asyncio.sleep(0.03)
    assert await reader.readexactly(5) == bytes(range(5))
    assert about(0.15 + 4 * 0.03, time.perf_counter() - began_s)  # not 5 * 0.15


# report 9: toxiproxy#556
async def test_a_burst_under_jitter_keeps_its_order_and_drifts_late(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("latency", latency=100, jitter=100)
    began_s = time.perf_counter()
    for n in range(20):
        writer.write(bytes([n]))
        await asyncio.sleep(0.001)
    came, times_s = b"", []
    while len(came) < 20:
        data = await asyncio.wait_for(reader.read(100), 5)
        times_s += [time.perf_counter() - began_s] * len(data)
        came += data
    assert came == bytes(range(20))
    assert all(earlier <= later for earlier, later in pairwise(times_s))
    assert times_s[-1] >= 0.105  # all of 20 below it: one in a million
    assert times_s[-1] <= 0.2 + 0.1 + BUSY_S


async def test_bandwidth_is_thousands_of_bytes_a_second(through: Echo) -> None:
    streams = await through.opened()
    await through.stand.add("bandwidth", rate=100)
    assert about(0.5, await took_s(streams, bytes(50_000)))


async def test_bandwidth_is_for_each_connection_alone(through: Echo) -> None:
    several = [await through.opened() for _ in range(4)]
    await through.stand.add("bandwidth", "upstream", rate=100)
    times_s = await asyncio.gather(*(took_s(streams, bytes(30_000)) for streams in several))
    assert all(about(0.3, each_s) for each_s in times_s)


async def test_rate_zero_holds_everything_until_it_is_removed(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("bandwidth")
    writer.write(b"held")
    assert await ending(reader, 0.2) == (b"", "open")
    await through.stand.remove()
    assert await asyncio.wait_for(reader.readexactly(4), 5) == b"held"


async def test_slow_close_is_milliseconds_of_the_end_alone(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("slow_close", "upstream", delay=250)
    assert await exchange((reader, writer)) == b"x"
    began_s = time.perf_counter()
    writer.write_eof()
    assert await ending(reader, 5) == (b"", "FIN")
    assert about(0.25, time.perf_counter() - began_s)


async def test_an_answer_under_way_arrives_although_the_caller_has_ended(through: Echo) -> None:
    """The original closes the worker's side at once, but what it has read from there still goes out."""
    await through.stand.add("latency", latency=200)
    reader, writer = await through.connected()
    writer.write(b"answer")
    await asyncio.sleep(0.1)
    writer.write_eof()
    assert await ending(reader, 5) == (b"answer", "FIN")


# report 6: toxiproxy#195
async def test_timeout_is_milliseconds_without_data_and_drops_what_comes(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("timeout", "upstream", timeout=500)
    began_s = time.perf_counter()
    for _ in range(5):  # each starts the timer afresh
        writer.write(b"lost")
        assert await ending(reader, 0.15) == (b"", "open")
    assert await ending(reader, 5) == (b"", "FIN")
    assert time.perf_counter() - began_s >= 4 * 0.15 + 0.5 - 0.002


async def test_timeout_zero_never_closes_but_its_removal_does(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("timeout")
    writer.write(b"lost")
    assert await ending(reader, 0.3) == (b"", "open")
    await through.stand.remove()
    assert await ending(reader) == (b"", "FIN")


@pytest.mark.parametrize("way", WAYS)
async def test_reset_peer_resets_milliseconds_after_the_first_data(through: Echo, way: str) -> None:
    await through.stand.add("reset_peer", way, timeout=150)
    reader, writer = await through.connected()
    assert await ending(reader, 0.2) == (b"", "open")  # an idle connection lives
    began_s = time.perf_counter()
    writer.write(b"x")
    assert await ending(reader, 5) == (b"", "RST")
    assert about(0.15, time.perf_counter() - began_s)


async def test_reset_peer_resets_at_an_end_without_data_too(through: Echo) -> None:
    await through.stand.add("reset_peer", "upstream", timeout=50)
    reader, writer = await through.connected()
    writer.write_eof()
    assert await ending(reader, 5) == (b"", "RST")


# report 2: toxiproxy#603, as far as the original keeps to it
async def test_a_connection_that_reset_peer_spares_carries_data(through: Echo) -> None:
    await through.stand.add("reset_peer", "upstream", toxicity=0)
    assert await took_s(await through.opened()) < BUSY_S


async def test_slicer_pauses_microseconds_after_each_slice(through: Echo) -> None:
    reader, writer = await through.opened()
    await through.stand.add("slicer", average_size=10, size_variation=2, delay=20_000)
    sent = bytes(range(100))
    began_s = time.perf_counter()
    writer.write(sent)
    came, reads = b"", 0
    while len(came) < len(sent):
        came += await asyncio.wait_for(reader.read(100), 5)
        reads += 1
    assert came == sent
    assert 3 <= reads <= 34  # a busy reader finds several slices at once
    assert (100 / 12 - 1) * 0.02 <= time.perf_counter() - began_s <= 34 * 0.02 + BUSY_S


@pytest.mark.parametrize("chunks", [(b"abcdefgh",), (b"abc", b"defgh")])
async def test_limit_data_passes_exactly_so_many_bytes_and_closes(
    through: Echo, chunks: tuple[bytes, ...]
) -> None:
    await through.stand.add("limit_data", bytes=5)
    reader, writer = await through.connected()
    for chunk in chunks:
        writer.write(chunk)
        await asyncio.sleep(0.02)
    assert await ending(reader) == (b"abcde", "FIN")


async def test_limit_data_zero_closes_at_the_first_data_and_not_before(through: Echo) -> None:
    await through.stand.add("limit_data")
    reader, writer = await through.connected()
    assert await ending(reader, 0.1) == (b"", "open")
    writer.write(b"x")
    assert await ending(reader) == (b"", "FIN")


async def test_limit_data_goes_on_counting_through_updates_and_toxicity(through: Echo) -> None:
    await through.stand.add("limit_data", bytes=100)
    reader, writer = await through.opened()  # 1 byte
    await through.stand.update({"attributes": {"bytes": 6}})
    await exchange((reader, writer), b"abc")
    await through.stand.update({"toxicity": 0})
    await exchange((reader, writer), b"free of charge")
    await through.stand.update({"toxicity": 1})
    writer.write(b"defghi")
    assert await ending(reader) == (b"de", "FIN")


async def test_noop_is_a_toxic_like_any_other(through: Echo) -> None:
    assert await through.stand.add("noop") == 200
    assert await took_s(await through.opened()) < BUSY_S
