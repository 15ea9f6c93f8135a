"""What our server can do beyond the original, on real sockets; and the client on either server."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import aiohttp
import pytest

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import Refused, ToxiproxyError
from faults.toxiproxy.server import serve
from faults.toxiproxy.toxics import ORIGINALS, TOXICS
from tests.faults.toxiproxy.servers import (
    BOTH,
    Streams,
    connect,
    echo,
    hang_up,
    needs_program,
    running,
    worker,
)

pytestmark = pytest.mark.real


@dataclass
class Order:
    """A toxic as the faults order it."""

    type: str
    direction: str
    attributes: dict[str, int] = field(default_factory=dict)


@dataclass
class Api:
    """Our server, called as a program in any language would."""

    client: ToxiproxyClient
    session: aiohttp.ClientSession

    async def call(self, method: str, path: str, value: Any = None) -> tuple[int, Any]:
        """Status, and the JSON of the answer if there is one."""
        async with self.session.request(method, self.client.url + path, json=value) as answer:
            text = await answer.text()
            return answer.status, await answer.json(content_type=None) if text else None

    async def create(self, address: str, **more: Any) -> str:
        """A proxy `p` with extras; where it listens."""
        wanted = {"name": "p", "listen": "127.0.0.1:0", "upstream": address, **more}
        status, shown = await self.call("POST", "/x/proxies", wanted)
        assert status == 201, shown
        return shown["listen"]


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    async with running("embedded", seed=7) as url, aiohttp.ClientSession() as session:
        yield Api(ToxiproxyClient(url), session)


@pytest.fixture
async def echoing() -> AsyncIterator[str]:
    async with worker(echo) as address:
        yield address


def latency(ms: int, **more: Any) -> dict[str, Any]:
    return {"type": "latency", "attributes": {"latency": ms}, **more}


async def round_trip_s(streams: Streams) -> float:
    reader, writer = streams
    start_s = time.perf_counter()
    writer.write(b"x")
    assert await asyncio.wait_for(reader.read(1), 10) == b"x"
    return time.perf_counter() - start_s


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
    assert (status, said["error"]) == (400, "invalid toxic type at toxic 2 at proxy 2")
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


# report 5: toxiproxy PR #610, #274
async def test_the_seed_decides_which_connections_and_which_delays(echoing: str) -> None:
    lots = []
    for seed in (1, 1, 2):
        async with running("embedded", seed=seed) as url, aiohttp.ClientSession() as session:
            api = Api(ToxiproxyClient(url), session)
            jittery = {"type": "latency", "attributes": {"latency": 250, "jitter": 250}, "toxicity": 0.5}
            listen = await api.create(echoing, toxics=[jittery])
            streams = [await connect(listen) for _ in range(10)]
            lots.append(await asyncio.gather(*(round_trip_s(each) for each in streams)))
            await hang_up(*(writer for _, writer in streams))
    assert lots[0] == pytest.approx(lots[1], abs=0.1)
    assert lots[0] != pytest.approx(lots[2], abs=0.1)


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
    with pytest.raises(ToxiproxyError, match="400: invalid toxic type at toxic 2"):
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
    with pytest.raises(Refused, match="invalid toxic type at toxic 1 at proxy 1"):
        async with serve(config=(config % (echoing, "latncy")).encode()):
            raise AssertionError("it must not start")
    with pytest.raises(Refused, match="only loopback"):
        async with serve(host="0.0.0.0"):  # noqa: S104 - to see that it is refused
            raise AssertionError("it must not start")
