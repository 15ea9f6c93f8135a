"""Toxics beyond the original, on real sockets: what was asked for is what is measured."""

import asyncio
import time
from collections.abc import AsyncIterator
from statistics import fmean

import pytest

from tests.faults.toxiproxy.extended_api import Api, extended_api, latency, round_trip_s
from tests.faults.toxiproxy.servers import connect, echo, hang_up, worker

pytestmark = pytest.mark.real


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    async with extended_api() as api:
        yield api


@pytest.fixture
async def echoing() -> AsyncIterator[str]:
    async with worker(echo) as address:
        yield address


# report 5: toxiproxy PR #610, #274
async def test_the_seed_decides_which_connections_and_which_delays(echoing: str) -> None:
    lots = []
    for seed in (1, 1, 2):
        async with extended_api(seed) as api:
            jittery = {"type": "latency", "attributes": {"latency": 250, "jitter": 250}, "toxicity": 0.5}
            listen = await api.create(echoing, toxics=[jittery])
            streams = [await connect(listen) for _ in range(10)]
            lots.append(await asyncio.gather(*(round_trip_s(each) for each in streams)))
            await hang_up(*(writer for _, writer in streams))
    assert lots[0] == pytest.approx(lots[1], abs=0.2)
    assert lots[0] != pytest.approx(lots[2], abs=0.2)


# report 6: toxiproxy PR #195, #121
async def test_a_cut_ends_a_connection_on_which_data_flows(api: Api, echoing: str) -> None:
    listen = await api.create(echoing, toxics=[{"type": "cut", "attributes": {"after": 300}}])
    start_s = time.perf_counter()
    reader, writer = await connect(listen)
    for _ in range(200):
        writer.write(b"x")
        if not await asyncio.wait_for(reader.read(1), 5):
            break
        await asyncio.sleep(0.02)
    assert 0.28 <= time.perf_counter() - start_s < 2.0
    await hang_up(writer)


# report 8: toxiproxy#613
async def test_connections_share_a_bandwidth_where_the_original_gives_each_its_own(api: Api) -> None:
    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(bytes(16384))
            await writer.drain()

    async with worker(pour) as address:
        listen = await api.create(
            address, toxics=[{"type": "shared_bandwidth", "attributes": {"rate": 1000}}]
        )
        streams = [await connect(listen) for _ in range(4)]
        began_s = time.perf_counter()
        counts = [0] * 4

        async def drink(place: int) -> None:
            while time.perf_counter() - began_s < 2.0:
                counts[place] += len(await streams[place][0].read(65536))

        await asyncio.gather(*(drink(place) for place in range(4)))
        took_s = time.perf_counter() - began_s
        assert 800_000 < sum(counts) / took_s < 1_100_000  # a busy machine may lose some
        assert max(counts) <= 1.1 * min(counts)
        for _, writer in streams:
            writer.transport.abort()


# report 16: chaos-mesh#4535
async def test_a_ramp_of_latency_is_measured_with_the_slope_that_was_asked_for(
    api: Api, echoing: str
) -> None:
    ramp = latency(50, ramp_to={"latency": 200}, ramp_s=4)
    listen = await api.create(echoing)
    streams = await connect(listen)
    await round_trip_s(streams)
    began_s = time.perf_counter()
    assert (await api.call("POST", "/x/proxies/p/toxics", ramp))[0] == 200
    points = []
    while (at_s := time.perf_counter() - began_s) < 3.7:
        points.append((at_s, await round_trip_s(streams)))
    middle_x, middle_y = fmean(x for x, _ in points), fmean(y for _, y in points)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in points) / sum(
        (x - middle_x) ** 2 for x, _ in points
    )
    assert slope == pytest.approx(0.150 / 4, rel=0.15)
    await asyncio.sleep(0.4)
    assert (await api.call("GET", "/proxies/p/toxics"))[1][0]["attributes"]["latency"] == 200
    await hang_up(streams[1])


async def test_the_first_byte_of_each_answer_is_late_on_a_kept_connection(api: Api) -> None:
    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1):
            for _ in range(3):
                writer.write(b"t")
                await writer.drain()
                await asyncio.sleep(0.1)

    async with worker(tell) as address:
        listen = await api.create(address, toxics=[{"type": "first_byte", "attributes": {"delay": 500}}])
        reader, writer = await connect(listen)
        for _ in range(2):
            start_s = time.perf_counter()
            writer.write(b"?")
            came_s = [time.perf_counter() - start_s for _ in range(3) if await reader.readexactly(1)]
            assert came_s[0] >= 0.49
            assert came_s[2] - came_s[0] < 0.3  # what came meanwhile is not late on top
            await asyncio.sleep(0.1)
        await hang_up(writer)
