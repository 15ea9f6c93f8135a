"""What we ask of our server beyond the original, which fails most of these; and how its connections end."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import AsyncIterator

import aiohttp
import psutil
import pytest

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from tests.faults.toxiproxy.servers import connect, echo, hang_up, mute, running, worker

pytestmark = pytest.mark.real

WORKING = {  # toxics that let data through until nobody takes it
    "latency": {"latency": 50},
    "bandwidth": {"rate": 10**6},
    "slicer": {"average_size": 1_000, "delay": 1},
    "limit_data": {"bytes": 10**12},
    "slow_close": {"delay": 60_000},
    "noop": {},
}
PATIENCE_S = 1.0  # for control calls that the original answers after 25 s or never


@pytest.fixture
async def client() -> AsyncIterator[ToxiproxyClient]:
    async with running("embedded", seed=7) as url:
        yield ToxiproxyClient(url, call_limit_s=PATIENCE_S)


async def test_a_half_closed_connection_still_gets_its_answer(client: ToxiproxyClient) -> None:
    async def answer_after_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        question = await reader.read()
        await asyncio.sleep(0.1)
        writer.write(b"answer to " + question)

    async with worker(answer_after_end) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        for toxic in ("none", "slow"):
            reader, writer = await connect(proxy.listen)
            writer.write(b"question")
            writer.write_eof()
            assert await asyncio.wait_for(reader.read(), 5) == b"answer to question"
            await hang_up(writer)
            if toxic == "none":
                for way in ("to_worker", "to_caller"):
                    await client.add_toxic("p", way, "latency", way, {"latency": 20})


# report 1: Shopify/toxiproxy#558
async def test_a_reader_that_has_stopped_does_not_hold_up_the_control_plane(client: ToxiproxyClient) -> None:
    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(bytes(65536))
            await writer.drain()

    async with worker(pour) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        for kind, attributes in WORKING.items():
            await client.add_toxic("p", kind, kind, "to_caller", attributes)
        with socket.create_connection(proxy.listen.split(":")):  # and never read from
            await asyncio.sleep(0.5)
            for kind in WORKING:
                start_s = time.perf_counter()
                assert await client.remove_toxic("p", kind)
                assert await client.list()
                assert time.perf_counter() - start_s < PATIENCE_S
            assert await client.delete("p")


async def test_a_worker_that_does_not_answer_the_dial_holds_up_no_other_caller(
    client: ToxiproxyClient,
) -> None:
    with mute() as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        stuck = [await connect(proxy.listen) for _ in range(3)]
        async with worker(echo) as healthy:
            assert await client.delete("p")
            proxy = await client.create("p", "127.0.0.1:0", healthy)
            reader, writer = await connect(proxy.listen)
            writer.write(b"x")
            assert await asyncio.wait_for(reader.read(1), PATIENCE_S) == b"x"
            await hang_up(writer, *(each for _, each in stuck))


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("bandwidth", {"rate": -1}),
        ("latency", {"latency": -1}),
        ("latency", {"jitter": 2**62}),
        ("timeout", {"timeout": -1}),
        ("slicer", {"average_size": -1}),
        ("limit_data", {"bytes": -1}),
        ("reset_peer", {"timeout": -1}),
        ("slow_close", {"delay": 2**31}),
    ],
)
async def test_senseless_values_are_refused_and_the_server_lives_on(
    client: ToxiproxyClient, kind: str, attributes: dict[str, int]
) -> None:
    await client.create("p", "127.0.0.1:0", "127.0.0.1:9")
    with pytest.raises(ToxiproxyError, match=r"400: bad request body: \w+: expected a whole number"):
        await client.add_toxic("p", "t", kind, "to_caller", attributes)
    assert await client.toxics("p") == ()


async def test_a_refused_update_changes_nothing(client: ToxiproxyClient) -> None:
    await client.create("p", "127.0.0.1:0", "127.0.0.1:9")
    await client.add_toxic("p", "t", "latency", "to_caller", {"latency": 5, "jitter": 1})
    url = f"{client.url}/proxies/p/toxics/t"
    async with aiohttp.ClientSession() as session:
        async with session.patch(url, json={"attributes": {"latency": 9, "jitter": -1}}) as answer:
            assert answer.status == 400
        async with session.get(url) as answer:
            assert json.loads(await answer.text())["attributes"] == {"latency": 5, "jitter": 1}


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0"])
async def test_only_loopback_is_listened_on(client: ToxiproxyClient, listen: str) -> None:
    with pytest.raises(ToxiproxyError, match="only loopback"):
        await client.create("p", listen, "127.0.0.1:9")


async def test_no_listen_address_means_loopback(client: ToxiproxyClient) -> None:
    assert (await client.create("p", "", "127.0.0.1:9")).listen.startswith("127.0.0.1:")


async def slow_ones(client: ToxiproxyClient, toxicity: float, connections: int) -> list[bool]:
    """Which of so many connections, one after the other, a latency of that toxicity works on."""
    async with worker(echo) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        await client.add_toxic("p", "slow", "latency", "to_caller", {"latency": 100}, toxicity)
        slow = []
        for _ in range(connections):
            reader, writer = await connect(proxy.listen)
            start_s = time.perf_counter()
            writer.write(b"x")
            await reader.read(1)
            slow.append(time.perf_counter() - start_s >= 0.099)
            await hang_up(writer)
        await client.delete("p")
        return slow


async def test_the_same_seed_picks_the_same_connections() -> None:
    picks = []
    for seed in (7, 7, 8):
        async with running("embedded", seed=seed) as url:
            picks.append(await slow_ones(ToxiproxyClient(url), 0.5, 12))
    assert picks[0] == picks[1] != picks[2]
    assert {True, False} == set(picks[0])


async def test_an_update_that_leaves_toxicity_alone_flips_no_connection(client: ToxiproxyClient) -> None:
    async with worker(echo) as address, aiohttp.ClientSession() as session:
        proxy = await client.create("p", "127.0.0.1:0", address)
        await client.add_toxic("p", "slow", "latency", "to_caller", {"latency": 80}, 0.5)
        reader, writer = await connect(proxy.listen)
        seen = set()
        for _ in range(6):
            async with session.patch(f"{client.url}/proxies/p/toxics/slow", json={}) as answer:
                assert answer.status == 200
            start_s = time.perf_counter()
            writer.write(b"x")
            await reader.read(1)
            seen.add(time.perf_counter() - start_s >= 0.079)
        assert len(seen) == 1
        await hang_up(writer)


async def test_a_caller_that_resets_its_connection_ends_it_at_the_worker(client: ToxiproxyClient) -> None:
    ended = asyncio.Event()

    async def until_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.read()
        finally:
            ended.set()

    async with worker(until_end) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        with socket.create_connection(proxy.listen.split(":")) as caller:
            await asyncio.sleep(0.1)
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # RST on close
        await asyncio.wait_for(ended.wait(), 5)


async def test_a_caller_that_leaves_while_the_answer_flows_ends_it_at_the_worker(
    client: ToxiproxyClient,
) -> None:
    ended = asyncio.Event()

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(bytes(65536))
                await writer.drain()
        finally:
            ended.set()

    async with worker(pour) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        reader, writer = await connect(proxy.listen)
        await reader.read(100_000)
        await hang_up(writer)
        await asyncio.wait_for(ended.wait(), 5)


async def test_hundreds_of_connections_come_and_go_and_none_is_left() -> None:
    async with running("embedded") as url, worker(echo) as address:
        client = ToxiproxyClient(url)
        proxy = await client.create("p", "127.0.0.1:0", address)
        streams = await asyncio.gather(*(connect(proxy.listen) for _ in range(300)))
        for _, writer in streams:
            writer.write(b"x")
        assert [await reader.read(1) for reader, _ in streams] == [b"x"] * 300
        assert open_to(address) == 300
        await hang_up(*(writer for _, writer in streams))
        async with asyncio.timeout(5):
            while open_to(address):
                await asyncio.sleep(0.05)


def open_to(address: str) -> int:
    """Sockets of this process, in which the server runs, that are connected to `address`."""
    port = int(address.split(":")[1])
    sockets = psutil.Process().net_connections("tcp")
    return sum(bool(socket.raddr) and socket.raddr.port == port for socket in sockets)
