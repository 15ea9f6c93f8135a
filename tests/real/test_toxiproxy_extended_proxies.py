"""Proxies beyond the original, on real sockets: toxics from the start, lists of connections, slow accept."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.server import serve
from faults.toxiproxy.toxics import ORIGINALS, TOXICS
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


# report 3: toxiproxy#148
async def test_the_very_first_connection_sees_the_toxics_that_came_with_its_proxy(
    api: Api, echoing: str
) -> None:
    streams = await connect(await api.create(echoing, toxics=[latency(200)]))
    assert await round_trip_s(streams) >= 0.19
    await hang_up(streams[1])


# report 3: toxiproxy#148
async def test_each_open_connection_tells_which_toxics_work_on_it(api: Api, echoing: str) -> None:
    half = latency(1, name="half", toxicity=0.5)
    listen = await api.create(
        echoing, toxics=[half, latency(1, name="all"), latency(1, name="none", toxicity=0)]
    )
    streams = [await connect(listen) for _ in range(12)]
    for number, each in enumerate(streams):
        for _ in range(number + 1):
            await round_trip_s(each)
    shown = await api.client.connections("p")
    assert [each.caller for each in shown] == [address_of(writer) for _, writer in streams]
    assert [each.to_worker_bytes for each in shown] == [each.to_caller_bytes for each in shown]
    assert [each.to_caller_bytes for each in shown] == list(range(1, 13))
    assert {each.worker for each in shown} == {echoing}
    assert all(0 < each.age_s < 60 for each in shown)
    assert all("all" in each.toxics and "none" in each.escaped for each in shown)
    assert all(("half" in each.toxics) != ("half" in each.escaped) for each in shown)
    assert len({each.escaped for each in shown}) == 2
    await hang_up(*(writer for _, writer in streams))
    async with asyncio.timeout(5):
        while await api.client.connections("p"):
            await asyncio.sleep(0.02)


def address_of(writer: asyncio.StreamWriter) -> str:
    host, port = writer.get_extra_info("sockname")
    return f"{host}:{port}"


# report 4: toxiproxy#447, #281, #79
async def test_populate_takes_toxics_and_says_so(api: Api, echoing: str) -> None:
    wanted = [
        {"name": "a", "listen": "127.0.0.1:0", "upstream": echoing, "toxics": [latency(150)]},
        {"name": "b", "listen": "127.0.0.1:0", "upstream": echoing},
    ]
    status, shown = await api.call("POST", "/x/populate", wanted)
    assert status == 201
    assert [[toxic["name"] for toxic in each["toxics"]] for each in shown["proxies"]] == [
        ["latency_downstream"],
        [],
    ]
    streams = await connect(shown["proxies"][0]["listen"])
    assert await round_trip_s(streams) >= 0.14
    await hang_up(streams[1])


# report 4: toxiproxy#447, #281, #79
async def test_one_bad_toxic_and_nothing_is_made(api: Api, echoing: str) -> None:
    fine = {"name": "a", "upstream": echoing, "toxics": [latency(5)]}
    bad = {"name": "b", "upstream": echoing, "toxics": [latency(5), {"type": "latncy"}]}
    status, said = await api.call("POST", "/x/populate", [fine, bad])
    assert status == 400
    assert said["error"].startswith("invalid toxic type 'latncy', expected one of bandwidth, cut, ")
    assert said["error"].endswith(" at toxic 2 at proxy 2")
    assert (await api.call("POST", "/x/proxies", bad))[0] == 400
    assert await api.client.list() == {}


async def test_a_proxy_that_is_there_already_is_given_the_toxics_and_keeps_its_own(
    api: Api, echoing: str
) -> None:
    listen = await api.create(echoing, toxics=[latency(5, name="own")])
    again = {"name": "p", "listen": listen, "upstream": echoing, "toxics": [latency(6, name="new")]}
    await api.call("POST", "/x/populate", [again])
    await api.call("POST", "/x/populate", [again])
    assert await api.client.toxics("p") == ("own", "new")


# report 7: toxiproxy#123
async def test_a_slow_accept_reads_and_dials_only_later(api: Api) -> None:
    dialled: list[float] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        dialled.append(time.perf_counter())
        await echo(reader, writer)

    async with worker(note) as address:
        listen = await api.create(address, accept_delay_ms=600)
        start_s = time.perf_counter()
        streams = await connect(listen)
        assert await round_trip_s(streams) >= 0.59
        assert dialled[0] - start_s >= 0.59
        assert await round_trip_s(streams) < 0.5  # only the beginning is slow
        assert (await api.call("PATCH", "/x/proxies/p", {"accept_delay_ms": 0}))[1]["accept_delay_ms"] == 0
        others = await connect(listen)
        assert await round_trip_s(others) < 0.5
        await hang_up(streams[1], others[1])


# report 7: toxiproxy#265
async def test_a_caller_of_a_worker_that_is_down_sees_a_reset_only_where_that_is_asked_for(api: Api) -> None:
    with socket.create_server(("127.0.0.1", 0)) as once:
        down = f"127.0.0.1:{once.getsockname()[1]}"
    listen = await api.create(down)
    reader, writer = await connect(listen)
    assert await asyncio.wait_for(reader.read(), 5) == b""
    await hang_up(writer)
    await api.call("PATCH", "/x/proxies/p", {"refuse_when_down": True})
    reader, writer = await connect(listen)
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(reader.read(), 5)
    await hang_up(writer)


async def test_nothing_of_it_shows_or_is_taken_on_the_original_s_routes(api: Api, echoing: str) -> None:
    toxic = latency(5, time_limit_s=60, ramp_to={"latency": 9}, ramp_s=60)
    await api.create(echoing, toxics=[toxic], accept_delay_ms=5, refuse_when_down=True)
    _, shown = await api.call("GET", "/proxies/p")
    assert list(shown) == ["name", "listen", "upstream", "enabled", "Logger", "toxics"]
    assert list(shown["toxics"][0]) == ["attributes", "name", "type", "stream", "toxicity"]
    for kind in TOXICS.keys() - ORIGINALS.keys():
        status, said = await api.call("POST", "/proxies/p/toxics", {"type": kind})
        assert (status, said["error"]) == (400, "invalid toxic type")
    _, extended = await api.call("GET", "/x/proxies/p")
    assert 0 < extended["toxics"][0]["time_left_s"] <= 60
    assert (extended["accept_delay_ms"], extended["refuse_when_down"], extended["connections"]) == (
        5,
        True,
        0,
    )


@pytest.mark.parametrize(
    ("method", "path", "value", "status"),
    [
        ("GET", "/x/proxies/q", None, 404),
        ("GET", "/x/proxies/q/connections", None, 404),
        ("PUT", "/x/proxies/q/toxics?owner=a", [], 404),
        ("PUT", "/x/proxies/p/toxics", [], 400),
        ("PUT", "/x/proxies/p/toxics?owner=a", {}, 400),
        ("PATCH", "/x/proxies/p", {"toxics": []}, 400),
        ("POST", "/x/proxies", {"name": "p", "upstream": "127.0.0.1:9"}, 409),
        ("POST", "/x/populate", {"name": "p"}, 400),
        ("DELETE", "/x/proxies/p", None, 405),
    ],
)
async def test_wrong_calls_are_refused(
    api: Api, method: str, path: str, value: Mapping[str, Any] | list[Any] | None, status: int
) -> None:
    await api.create("127.0.0.1:9")
    assert (await api.call(method, path, value))[0] == status


async def test_a_server_starts_with_what_its_configuration_lists_or_not_at_all(echoing: str) -> None:
    config = '[{"name":"p","listen":"127.0.0.1:0","upstream":"%s","toxics":[{"type":"%s"}]}]'
    async with serve(config=(config % (echoing, "latency")).encode()) as port:
        assert await ToxiproxyClient(f"http://127.0.0.1:{port}").toxics("p") == ("latency_downstream",)
    with pytest.raises(Refused, match=r"invalid toxic type .* at toxic 1 at proxy 1"):
        async with serve(config=(config % (echoing, "latncy")).encode()):
            raise AssertionError("it must not start")
    with pytest.raises(Refused, match="only loopback"):
        async with serve(host="0.0.0.0"):  # noqa: S104 - to see that it is refused
            raise AssertionError("it must not start")
