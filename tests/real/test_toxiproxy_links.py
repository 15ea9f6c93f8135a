"""What passes through a proxy, ours and the original: the same expectations of both, on real sockets.

Times are lower bounds, or ratios with room for a busy machine.
"""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from tests.faults.toxiproxy.servers import BOTH, connect, echo, hang_up, running, worker

pytestmark = pytest.mark.real


@pytest.fixture(params=BOTH)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[ToxiproxyClient]:
    async with running(request.param) as url:
        yield ToxiproxyClient(url)


@pytest.fixture
async def listen(client: ToxiproxyClient) -> AsyncIterator[str]:
    """The address of a proxy named `p` in front of a worker that sends back what it gets."""
    async with worker(echo) as address:
        yield (await client.create("p", "127.0.0.1:0", address)).listen
        await client.delete("p")


class Caller:
    """One connection through the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, data: bytes = b"x") -> float:
        """Seconds until all of `data` is back."""
        start_s = time.perf_counter()
        self.writer.write(data)
        assert await self.reader.readexactly(len(data)) == data
        return time.perf_counter() - start_s


@pytest.fixture
async def caller(listen: str) -> AsyncIterator[Caller]:
    reader, writer = await connect(listen)
    yield Caller(reader, writer)
    await hang_up(writer)


async def test_megabytes_pass_unchanged_both_ways_at_once(caller: Caller) -> None:
    sent = bytes(n % 251 for n in range(1000)) * 4_000
    caller.writer.write(sent)
    assert await asyncio.wait_for(caller.reader.readexactly(len(sent)), 30) == sent


async def test_a_closed_connection_is_closed_at_the_worker(client: ToxiproxyClient) -> None:
    ended = asyncio.Event()

    async def until_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        ended.set()

    async with worker(until_end) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        _, writer = await connect(proxy.listen)
        await hang_up(writer)
        await asyncio.wait_for(ended.wait(), 5)


async def test_a_worker_that_closes_ends_the_answer(client: ToxiproxyClient) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"answer")

    async with worker(answer) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        reader, writer = await connect(proxy.listen)
        assert await asyncio.wait_for(reader.read(), 5) == b"answer"
        await hang_up(writer)


async def test_an_unreachable_worker_closes_the_caller_s_connection(client: ToxiproxyClient) -> None:
    proxy = await client.create("p", "127.0.0.1:0", "127.0.0.1:1")
    reader, writer = await connect(proxy.listen)
    assert await asyncio.wait_for(reader.read(), 5) == b""
    await hang_up(writer)


@pytest.mark.parametrize("direction", ["to_worker", "to_caller"])
async def test_latency_delays_by_what_it_says(
    client: ToxiproxyClient, caller: Caller, direction: str
) -> None:
    await client.add_toxic("p", "slow", "latency", direction, {"latency": 150})
    took_s = [await caller.ask() for _ in range(5)]
    assert min(took_s) >= 0.149
    assert sorted(took_s)[2] < 1.5 * 0.150


async def test_latencies_of_both_directions_add_up(client: ToxiproxyClient, caller: Caller) -> None:
    for direction in ("to_worker", "to_caller"):
        await client.add_toxic("p", direction, "latency", direction, {"latency": 100})
    assert await caller.ask() >= 0.199


async def test_latency_does_not_slow_the_rate(client: ToxiproxyClient, caller: Caller) -> None:
    """The reason why a proxy cannot stand in for a slow GPU: the gaps between tokens stay as they were."""
    await client.add_toxic("p", "slow", "latency", "to_caller", {"latency": 300})
    start_s = time.perf_counter()
    for _ in range(20):
        caller.writer.write(b"t")
        await asyncio.sleep(0.01)
    sent_s = time.perf_counter() - start_s
    await caller.reader.readexactly(20)
    assert 0.299 <= time.perf_counter() - start_s < 1.5 * (sent_s + 0.3)


async def test_only_the_named_direction_is_slow(client: ToxiproxyClient) -> None:
    """`to_worker` holds the question back before the worker sees it, `to_caller` the answer after."""
    arrived_s: list[float] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1):
            arrived_s.append(time.perf_counter())
            writer.write(data)

    async with worker(note) as address:
        proxy = await client.create("p", "127.0.0.1:0", address)
        caller = Caller(*await connect(proxy.listen))
        for direction in ("to_worker", "to_caller"):
            await client.add_toxic("p", "slow", "latency", direction, {"latency": 200})
            start_s = time.perf_counter()
            assert await caller.ask() >= 0.199
            assert (arrived_s[-1] - start_s >= 0.199) is (direction == "to_worker")
            await client.remove_toxic("p", "slow")
        await hang_up(caller.writer)


async def test_toxics_come_and_go_on_an_open_connection(client: ToxiproxyClient, caller: Caller) -> None:
    before_s = await caller.ask()
    await client.add_toxic("p", "slow", "latency", "to_caller", {"latency": 200})
    assert await caller.ask() >= 0.199
    assert await client.toxics("p") == ("slow",)
    assert await client.remove_toxic("p", "slow") is True
    assert await client.toxics("p") == ()
    assert await caller.ask() < 0.15 + before_s


async def test_removal_releases_held_data_at_once_and_whole(client: ToxiproxyClient, caller: Caller) -> None:
    await client.add_toxic("p", "slow", "latency", "to_caller", {"latency": 30_000})
    sent = bytes(n % 251 for n in range(1000))
    for place in range(0, 1000, 50):
        caller.writer.write(sent[place : place + 50])
        await asyncio.sleep(0.002)
    await asyncio.sleep(0.1)
    await client.remove_toxic("p", "slow")
    assert await asyncio.wait_for(caller.reader.readexactly(1000), 5) == sent


async def test_bandwidth_is_the_rate_it_says(client: ToxiproxyClient, caller: Caller) -> None:
    await client.add_toxic("p", "narrow", "bandwidth", "to_caller", {"rate": 200})
    took_s = await caller.ask(b"x" * 100_000)
    assert 0.95 * 0.5 <= took_s < 1.6 * 0.5


async def test_rate_zero_stalls_and_loses_nothing(client: ToxiproxyClient, caller: Caller) -> None:
    await client.add_toxic("p", "narrow", "bandwidth", "to_caller", {"rate": 0})
    asked = asyncio.create_task(caller.ask(b"held"))
    await asyncio.sleep(0.3)
    assert not asked.done()
    await client.remove_toxic("p", "narrow")
    await asyncio.wait_for(asked, 5)


async def test_a_timeout_swallows_data_and_closes_after_silence(
    client: ToxiproxyClient, caller: Caller
) -> None:
    await client.add_toxic("p", "hole", "timeout", "to_caller", {"timeout": 300})
    start_s = time.perf_counter()
    for _ in range(4):  # each write starts the timer afresh
        caller.writer.write(b"lost")
        await asyncio.sleep(0.15)
    assert await asyncio.wait_for(caller.reader.read(), 5) == b""
    assert time.perf_counter() - start_s >= 0.15 * 3 + 0.3


async def test_a_timeout_of_zero_holds_until_removed_and_then_closes(
    client: ToxiproxyClient, caller: Caller
) -> None:
    await client.add_toxic("p", "hole", "timeout", "to_caller", {"timeout": 0})
    caller.writer.write(b"lost")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(caller.reader.read(1), 0.4)
    await client.remove_toxic("p", "hole")
    assert await asyncio.wait_for(caller.reader.read(), 5) == b""


@pytest.mark.parametrize("toxicity", [0.0, 1.0])
async def test_toxicity_decides_for_whole_connections(
    client: ToxiproxyClient, listen: str, toxicity: float
) -> None:
    await client.add_toxic("p", "slow", "latency", "to_caller", {"latency": 200}, toxicity)
    for _ in range(3):
        caller = Caller(*await connect(listen))
        took_s = [await caller.ask() for _ in range(2)]
        assert [each_s >= 0.199 for each_s in took_s] == [toxicity == 1.0] * 2
        await hang_up(caller.writer)


async def test_deleting_closes_connections_and_the_port(
    client: ToxiproxyClient, caller: Caller, listen: str
) -> None:
    await caller.ask()
    assert await client.delete("p") is True
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await asyncio.wait_for(caller.ask(), 5)
    with pytest.raises(ConnectionRefusedError):
        await connect(listen)
    assert await client.delete("p") is False
    assert await client.list() == {}


async def test_the_client_lists_what_it_created(client: ToxiproxyClient, listen: str) -> None:
    proxy = (await client.list())["p"]
    assert (proxy.name, proxy.listen, proxy.enabled) == ("p", listen, True)
    assert proxy.worker.startswith("127.0.0.1:")


async def test_a_taken_name_and_a_taken_port_are_told_in_one_line(
    client: ToxiproxyClient, listen: str
) -> None:
    with pytest.raises(ToxiproxyError, match=r"proxy 'p'.*409: proxy already exists.*another name"):
        await client.create("p", "127.0.0.1:0", "127.0.0.1:9")
    with pytest.raises(
        ToxiproxyError, match=r"500: .*address already in use.*port 0 takes a free one"
    ) as told:
        await client.create("q", listen, "127.0.0.1:9")
    assert "\n" not in str(told.value)


async def test_a_toxic_on_no_proxy_and_of_no_kind_is_told(client: ToxiproxyClient, listen: str) -> None:
    with pytest.raises(ToxiproxyError, match="404: proxy not found"):
        await client.add_toxic("nobody", "t", "latency", "to_caller", {})
    with pytest.raises(ToxiproxyError, match="400: invalid toxic type"):
        await client.add_toxic("p", "t", "slowness", "to_caller", {})
    with pytest.raises(ValueError, match="upstream"):
        await client.add_toxic("p", "t", "latency", "upstream", {})
    assert await client.remove_toxic("p", "t") is False
