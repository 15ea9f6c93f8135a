"""The control plane of both servers where clients seldom look: odd paths, the order of checks, metrics."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from faults.toxiproxy import answers
from faults.toxiproxy.api import MAX_BODY_BYTES
from tests.faults.toxiproxy.servers import BOTH, connect, echo, hang_up, running, worker

pytestmark = pytest.mark.real


class Wire:
    """HTTP as it is typed: a client library would clean the paths."""

    def __init__(self, url: str) -> None:
        self._address = url.removeprefix("http://")

    async def call(self, method: str, path: str, body: str = "") -> tuple[int, dict[str, str], str]:
        """Status, headers in lower case, body."""
        reader, writer = await connect(self._address)
        length = len(body.encode())
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        writer.write((head + body).encode())
        said = (await asyncio.wait_for(reader.read(), 10)).decode()
        await hang_up(writer)
        first, _, rest = said.partition("\r\n")
        lines, _, text = rest.partition("\r\n\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines.split("\r\n"))
        return int(first.split()[1]), headers, text


@pytest.fixture(params=BOTH)
async def wire(request: pytest.FixtureRequest) -> AsyncIterator[Wire]:
    async with running(request.param) as url:
        yield Wire(url)


@pytest.fixture(params=BOTH)
async def metered(request: pytest.FixtureRequest) -> AsyncIterator[Wire]:
    async with running(request.param, metrics=True) as url:
        yield Wire(url)


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("//version", "/version"),
        ("/proxies//a", "/proxies/a"),
        ("/./version?x=1", "/version?x=1"),
        ("/proxies/../version", "/version"),
        ("//nowhere/", "/nowhere/"),
    ],
)
async def test_an_unclean_path_is_sent_on_to_the_clean_one(wire: Wire, path: str, clean: str) -> None:
    status, headers, text = await wire.call("GET", path)
    assert (status, headers["location"], text) == (301, clean, "")
    assert (await wire.call("POST", path))[0] == 301


async def test_what_is_not_there_comes_before_what_is_wrong_in_the_body(wire: Wire) -> None:
    off = {"name": "a", "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
    await wire.call("POST", "/proxies", json.dumps(off))
    for path, what in (
        ("/proxies/b", "proxy"),
        ("/proxies/b/toxics", "proxy"),
        ("/proxies/a/toxics/t", "toxic"),
    ):
        status, _, text = await wire.call("POST", path, "no json")
        assert (status, json.loads(text)["error"]) == (404, f"{what} not found")


@pytest.mark.parametrize(("given", "kept"), [("0.1234567891", "0.12345679"), ("0.2", "0.2"), ("1.0", "1")])
async def test_toxicity_has_32_bits(wire: Wire, given: str, kept: str) -> None:
    off = {"name": "a", "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
    await wire.call("POST", "/proxies", json.dumps(off))
    status, _, text = await wire.call("POST", "/proxies/a/toxics", f'{{"type":"noop","toxicity":{given}}}')
    assert status == 200
    assert text.endswith(f'"toxicity":{kept}}}')


async def test_toxics_in_a_new_proxy_are_passed_over_on_the_original_s_routes(wire: Wire) -> None:
    """As the original does, whose clients may send back what they were shown; /x/ takes them."""
    body = '{"name":"%s","upstream":"127.0.0.1:9","enabled":false,"toxics":[{"type":"latency"}]}'
    assert json.loads((await wire.call("POST", "/proxies", body % "a"))[2])["toxics"] == []
    status, _, text = await wire.call("POST", "/populate", f"[{body % 'b'}]")
    assert (status, json.loads(text)["proxies"][0]["toxics"]) == (201, [])


async def test_metrics_are_not_there_unless_they_are_switched_on(wire: Wire) -> None:
    status, _, text = await wire.call("GET", "/metrics")
    assert (status, text) == (404, "404 page not found\n")


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_metrics_are_prometheus_text_about_the_process(metered: Wire, method: str) -> None:
    status, headers, text = await metered.call(method, "/metrics")
    assert status == 200
    assert headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"
    assert "# TYPE process_resident_memory_bytes gauge" in text


async def test_bytes_are_counted_by_proxy_place_and_direction(metered: Wire) -> None:
    async with worker(echo) as address:
        wanted = {"name": "p", "listen": "127.0.0.1:0", "upstream": address}
        listen = json.loads((await metered.call("POST", "/proxies", json.dumps(wanted)))[2])["listen"]
        for _ in range(2):
            reader, writer = await connect(listen)
            writer.write(bytes(1000))
            await reader.readexactly(1000)
            await hang_up(writer)
        place = f'listener="{listen}",proxy="p",upstream="{address}"'
        lines = {
            f'toxiproxy_proxy_{what}_bytes_total{{direction="{way}",{place}}} 2000'
            for what in ("received", "sent")
            for way in ("upstream", "downstream")
        }
        async with asyncio.timeout(5):  # the original counts when both ways have ended
            while not lines <= set(await numbers(metered)):
                await asyncio.sleep(0.05)


async def numbers(metered: Wire) -> list[str]:
    """The lines with whole numbers written as such: `5.0` and `5` are the same to Prometheus."""
    return [line.removesuffix(".0") for line in (await metered.call("GET", "/metrics"))[2].splitlines()]


async def test_ours_count_while_the_connection_is_open_and_keep_what_they_counted() -> None:
    async with running("embedded", metrics=True) as url, worker(echo) as address:
        metered = Wire(url)
        wanted = {"name": "p", "listen": "127.0.0.1:0", "upstream": address}
        listen = json.loads((await metered.call("POST", "/proxies", json.dumps(wanted)))[2])["listen"]
        reader, writer = await connect(listen)
        for sent in (300, 600):
            writer.write(bytes(300))
            await reader.readexactly(300)
            assert [line.split()[-1] for line in await numbers(metered) if "_bytes_total{" in line] == [
                str(sent)
            ] * 4
        await metered.call("DELETE", "/proxies/p")
        await hang_up(writer)
        assert [line.split()[-1] for line in await numbers(metered) if "_bytes_total{" in line] == ["600"] * 4


async def test_a_body_that_does_not_come_is_given_up_and_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "CALL_LIMIT_S", 0.5)  # 25 s for users
    async with running("embedded") as url:
        reader, writer = await connect(url.removeprefix("http://"))
        writer.write(b"POST /populate HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n[")
        await asyncio.sleep(0.1)
        assert (await Wire(url).call("POST", "/populate", "[]"))[0] == 201
        said = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        assert said.startswith(b"HTTP/1.1 503 ")
        assert b"text/html" in said
        await hang_up(writer)


async def test_a_body_that_is_too_large_is_refused_and_the_server_lives_on() -> None:
    async with running("embedded") as url:
        status, _, text = await Wire(url).call("POST", "/populate", " " * (MAX_BODY_BYTES + 1))
        assert (status, json.loads(text)["status"]) == (413, 413)
        assert (await Wire(url).call("GET", "/version"))[0] == 200
