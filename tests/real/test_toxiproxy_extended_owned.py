"""Toxics that belong to somebody and have a time limit; and the client on either server."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import aiohttp
import pytest

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from tests.faults.toxiproxy.extended_api import Api, extended_api, latency, round_trip_s
from tests.faults.toxiproxy.servers import BOTH, connect, echo, hang_up, needs_program, running, worker

pytestmark = pytest.mark.real


@dataclass
class Order:
    """A toxic as the faults order it."""

    type: str
    direction: str
    attributes: dict[str, int] = field(default_factory=dict)


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    async with extended_api() as api:
        yield api


@pytest.fixture
async def echoing() -> AsyncIterator[str]:
    async with worker(echo) as address:
        yield address


async def test_a_toxic_whose_setter_never_comes_back_is_taken_off(api: Api, echoing: str) -> None:
    streams = await connect(await api.create(echoing))
    await api.client.set_toxics("p", "run.w0", [Order("latency", "to_caller", {"latency": 400})], 1.0)
    assert await round_trip_s(streams) >= 0.39
    await asyncio.sleep(1.0)
    assert await api.client.toxics("p") == ()
    assert await round_trip_s(streams) < 0.39
    await hang_up(streams[1])


async def test_a_time_limit_that_takes_off_a_timeout_closes_its_connections(api: Api, echoing: str) -> None:
    reader, writer = await connect(await api.create(echoing))
    await round_trip_s((reader, writer))
    await api.client.set_toxics("p", "run.w0", [Order("timeout", "to_caller")], 0.4)
    writer.write(b"lost")
    assert await asyncio.wait_for(reader.read(), 5) == b""
    await hang_up(writer)


async def test_setting_toxics_is_all_or_nothing(api: Api, echoing: str) -> None:
    await api.create(echoing, toxics=[latency(5, name="run.w0.mine"), latency(5, name="stranger")])
    wrong = [Order("latency", "to_caller", {"latency": 9}), Order("latncy", "to_caller")]
    with pytest.raises(ToxiproxyError, match=r"400: invalid toxic type .* at toxic 2"):
        await api.client.set_toxics("p", "run.w0", wrong, 10.0)
    assert await api.client.toxics("p") == ("run.w0.mine", "stranger")


@pytest.mark.parametrize("kind", BOTH)
async def test_an_owner_s_toxics_are_set_changed_in_place_and_cleared_on_either_server(
    kind: str, echoing: str
) -> None:
    async with running(kind) as url:
        client = ToxiproxyClient(url)
        assert await client.has_extensions() is (kind == "embedded")
        streams = await connect((await client.create("p", "127.0.0.1:0", echoing)).listen)
        await client.add_toxic("p", "other.x", "noop", "to_caller", {})

        async def have(*ms: int) -> float:
            orders = [Order("latency", way, {"latency": each}) for way, each in zip(WAYS, ms, strict=False)]
            await client.set_toxics("p", "run.w0", orders, 30.0)
            return await round_trip_s(streams)

        assert await have(100, 100) >= 0.19
        assert set(await client.toxics("p")) == {
            "other.x",
            "run.w0.latency_to_caller",
            "run.w0.latency_to_worker",
        }
        assert await have(300) >= 0.29
        assert set(await client.toxics("p")) == {"other.x", "run.w0.latency_to_caller"}
        await client.clear_toxics("p", "run.w0")
        assert await client.toxics("p") == ("other.x",)
        assert await round_trip_s(streams) < 0.25
        await hang_up(streams[1])


WAYS = ("to_caller", "to_worker")


@pytest.mark.parametrize("kind", BOTH)
async def test_an_update_changes_what_it_names_on_either_server(kind: str) -> None:
    async with running(kind) as url, aiohttp.ClientSession() as session:
        api = Api(ToxiproxyClient(url), session)
        await api.client.create("p", "127.0.0.1:0", "127.0.0.1:9")
        await api.client.add_toxic("p", "t", "latency", "to_caller", {"latency": 5, "jitter": 1}, 0.5)
        await api.client.update_toxic("p", "t", {"latency": 9})
        await api.client.update_toxic("p", "t", {"jitter": 2}, 0.25)
        (shown,) = (await api.call("GET", "/proxies/p/toxics"))[1]
        assert (shown["attributes"], shown["toxicity"]) == ({"latency": 9, "jitter": 2}, 0.25)


@needs_program
async def test_the_original_has_no_list_of_connections_and_that_is_what_is_said() -> None:
    async with running("real") as url:
        with pytest.raises(ToxiproxyError, match="has no list of connections: only limplock's own has"):
            await ToxiproxyClient(url).connections("p")
