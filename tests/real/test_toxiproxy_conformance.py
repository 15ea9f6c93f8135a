"""The control plane byte for byte: the same calls to our server and to the original, the same answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from tests.faults.toxiproxy.servers import BOTH, running

pytestmark = pytest.mark.real

JSON = "application/json"
PLAIN = "text/plain; charset=utf-8"
OFF = (
    '{"name":"%s","listen":"127.0.0.1:1","upstream":"127.0.0.1:9","enabled":false,"Logger":{},"toxics":[%s]}'
)
LATENCY = (
    '{"attributes":{"latency":5,"jitter":0},"name":"latency_UpStream","type":"latency",'
    '"stream":"UpStream","toxicity":1}'
)
BANDWIDTH = (
    '{"attributes":{"rate":7},"name":"bandwidth_downstream","type":"bandwidth",'
    '"stream":"downstream","toxicity":0.2}'
)
TIMEOUT = '{"attributes":{"timeout":0},"name":"hole","type":"timeout","stream":"downstream","toxicity":1}'


@dataclass
class Api:
    """A server's control API."""

    url: str
    session: aiohttp.ClientSession

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str, str]:
        """Status, content type and body."""
        data = json.dumps(body) if isinstance(body, dict | list) else body
        async with self.session.request(method, self.url + path, data=data, headers=headers) as answer:
            return answer.status, answer.headers.get("Content-Type", ""), await answer.text()

    async def create(self, name: str, **more: Any) -> None:
        off = {"name": name, "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
        assert (await self.call("POST", "/proxies", off | more))[0] == 201


@pytest.fixture(params=BOTH)
async def api(request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    """A server with one disabled proxy, whose text has no port of chance in it."""
    async with running(request.param) as url, aiohttp.ClientSession() as session:
        api = Api(url, session)
        await api.create("a")
        yield api


def error(status: int, text: str) -> tuple[int, str, str]:
    return status, PLAIN, f'{{"error":"{text}","status":{status}}}\n'


async def test_the_version_is_json_with_a_blank(api: Api) -> None:
    status, kind, text = await api.call("GET", "/version")
    assert (status, kind) == (200, "application/json;charset=utf-8")
    assert text == f'{{"version": "{json.loads(text)["version"]}"}}\n'


async def test_proxies_are_listed_by_name_in_order(api: Api) -> None:
    await api.create("z<&>")
    await api.create("b")
    escaped = r"z\u003c\u0026\u003e"
    names = ("a", "b", escaped)
    wanted = "{" + ",".join(f'"{name}":{OFF % (name, "")}' for name in names) + "}"
    assert await api.call("GET", "/proxies") == (200, JSON, wanted)


async def test_an_empty_server_lists_an_empty_object(api: Api) -> None:
    await api.call("DELETE", "/proxies/a")
    assert await api.call("GET", "/proxies") == (200, JSON, "{}")


async def test_a_proxy_is_created_shown_and_deleted(api: Api) -> None:
    off = {
        "NAME": "n",
        "listen": "127.0.0.1:1",
        "upstream": "127.0.0.1:9",
        "enabled": False,
        "Logger": {},
        "x": [],
    }
    assert await api.call("POST", "/proxies", off) == (201, JSON, OFF % ("n", ""))
    assert await api.call("GET", "/proxies/n") == (200, JSON, OFF % ("n", ""))
    assert await api.call("DELETE", "/proxies/n") == (204, "", "")
    assert await api.call("GET", "/proxies/n") == error(404, "proxy not found")
    assert await api.call("DELETE", "/proxies/n") == error(404, "proxy not found")


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ("", 400, "bad request body: EOF"),
        ({}, 400, "missing required field: name"),
        ({"name": "x"}, 400, "missing required field: upstream"),
        ({"name": None, "upstream": "127.0.0.1:9"}, 400, "missing required field: name"),
        ({"name": "a", "upstream": "127.0.0.1:9"}, 409, "proxy already exists"),
        (
            {"name": "x", "upstream": "127.0.0.1:9", "listen": "garbage"},
            500,
            "listen tcp: address garbage: missing port in address",
        ),
    ],
)
async def test_a_proxy_is_refused_in_the_same_words(api: Api, body: Any, status: int, text: str) -> None:
    assert await api.call("POST", "/proxies", body) == error(status, text)
    assert await api.call("GET", "/proxies/x") == error(404, "proxy not found")


@pytest.mark.parametrize("body", ["{", "[]", "5", '{"name":5}', '{"name":"x","enabled":"yes"}', "nonsense"])
async def test_a_body_of_the_wrong_form_is_refused(api: Api, body: str) -> None:
    status, kind, text = await api.call("POST", "/proxies", body)
    assert (status, kind) == (400, PLAIN)
    assert json.loads(text)["error"].startswith("bad request body: ")


async def test_a_port_that_is_taken_is_refused_with_its_address(api: Api) -> None:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    async with server:
        taken = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        wanted = {"name": "x", "upstream": "127.0.0.1:9", "listen": taken}
        refusal = error(500, f"listen tcp {taken}: bind: address already in use")
        assert await api.call("POST", "/proxies", wanted) == refusal
        assert await api.call("GET", "/proxies/x") == error(404, "proxy not found")
        assert await api.call("PATCH", "/proxies/a", {"listen": taken, "enabled": True}) == refusal
        assert json.loads((await api.call("GET", "/proxies/a"))[2])["enabled"] is False


async def test_a_bound_port_is_reported_and_kept_while_disabled(api: Api) -> None:
    text = (await api.call("PATCH", "/proxies/a", {"enabled": True, "listen": "localhost:0"}))[2]
    listen = json.loads(text)["listen"]
    assert listen.startswith("127.0.0.1:")
    assert not listen.endswith(":0")
    for enabled in (False, True):
        shown = json.loads((await api.call("POST", "/proxies/a", {"enabled": enabled, "name": "other"}))[2])
        assert (shown["name"], shown["listen"], shown["enabled"]) == ("a", listen, enabled)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_a_proxy_is_updated_in_part(api: Api, method: str) -> None:
    changed = (OFF % ("a", "")).replace("127.0.0.1:9", "127.0.0.1:10")
    assert await api.call(method, "/proxies/a", {"upstream": "127.0.0.1:10"}) == (200, JSON, changed)
    assert await api.call(method, "/proxies/a", {"upstream": None}) == (200, JSON, changed)
    assert await api.call(method, "/proxies/zz", {}) == error(404, "proxy not found")


async def test_toxics_are_added_with_defaults_and_listed_by_direction(api: Api) -> None:
    path = "/proxies/a/toxics"
    assert await api.call("GET", path) == (200, JSON, "[]")
    wanted = {"type": "bandwidth", "attributes": {"rate": 7}, "toxicity": 0.2}
    assert await api.call("POST", path, wanted) == (200, JSON, BANDWIDTH)
    wanted = {"type": "latency", "stream": "UpStream", "attributes": {"Latency": 5, "other": 1}}
    assert await api.call("POST", path, wanted) == (200, JSON, LATENCY)
    wanted = {"name": "hole", "type": "timeout", "attributes": None}
    assert await api.call("POST", path, wanted) == (200, JSON, TIMEOUT)
    assert await api.call("GET", path) == (200, JSON, f"[{LATENCY},{BANDWIDTH},{TIMEOUT}]")
    assert (await api.call("GET", "/proxies/a"))[2] == OFF % ("a", f"{LATENCY},{BANDWIDTH},{TIMEOUT}")
    assert await api.call("GET", path + "/hole") == (200, JSON, TIMEOUT)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ("", 400, "bad request body: EOF"),
        (
            {"type": "latency", "stream": "sideways"},
            400,
            "stream was invalid, can be either upstream or downstream",
        ),
        ({"type": "nothing", "stream": "x"}, 400, "stream was invalid, can be either upstream or downstream"),
        ({"type": "Latency"}, 400, "invalid toxic type"),
        ({}, 400, "invalid toxic type"),
        ({"type": "noop", "name": "there"}, 409, "toxic already exists"),
        ({"type": "noop", "stream": "upstream", "name": "there"}, 409, "toxic already exists"),
    ],
)
async def test_a_toxic_is_refused_in_the_same_words(api: Api, body: Any, status: int, text: str) -> None:
    assert (await api.call("POST", "/proxies/a/toxics", {"type": "noop", "name": "there"}))[0] == 200
    assert await api.call("POST", "/proxies/a/toxics", body) == error(status, text)
    assert len(json.loads((await api.call("GET", "/proxies/a/toxics"))[2])) == 1


@pytest.mark.parametrize("latency", ["1.5", "1e3", '"100"', "true", "{}"])
async def test_attributes_are_whole_numbers(api: Api, latency: str) -> None:
    body = f'{{"type":"latency","attributes":{{"latency":{latency}}}}}'
    status, _, text = await api.call("POST", "/proxies/a/toxics", body)
    assert status == 400
    assert json.loads(text)["error"].startswith("bad request body: ")
    assert (await api.call("GET", "/proxies/a/toxics"))[2] == "[]"


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_a_toxic_is_updated_in_part_and_removed(api: Api, method: str) -> None:
    path = "/proxies/a/toxics/t"
    await api.call("POST", "/proxies/a/toxics", {"name": "t", "type": "latency", "attributes": {"jitter": 3}})
    changed = (
        '{"attributes":{"latency":9,"jitter":3},"name":"t","type":"latency","stream":"downstream",'
        '"toxicity":0.5}'
    )
    wanted = {
        "attributes": {"latency": 9},
        "toxicity": 0.5,
        "name": "q",
        "type": "noop",
        "stream": "upstream",
    }
    assert await api.call(method, path, wanted) == (200, JSON, changed)
    assert await api.call(method, path, {}) == (200, JSON, changed)
    assert await api.call("DELETE", path) == (204, "", "")
    for gone in (method, "GET", "DELETE"):
        assert await api.call(gone, path, {}) == error(404, "toxic not found")
        assert await api.call(gone, "/proxies/zz/toxics/t", {}) == error(404, "proxy not found")


async def test_toxicity_is_stored_as_it_comes(api: Api) -> None:
    for toxicity in ("1", "0", "0.25", "0.12345679"):
        name = f"t{toxicity}"
        await api.call(
            "POST", "/proxies/a/toxics", f'{{"name":"{name}","type":"noop","toxicity":{toxicity}}}'
        )
        assert (await api.call("GET", f"/proxies/a/toxics/{name}"))[2].endswith(f'"toxicity":{toxicity}}}')


async def test_reset_enables_every_proxy_and_removes_every_toxic(api: Api) -> None:
    await api.call("PATCH", "/proxies/a", {"listen": "127.0.0.1:0"})
    await api.call("POST", "/proxies/a/toxics", {"type": "noop"})
    assert await api.call("POST", "/reset") == (204, "", "")
    shown = json.loads((await api.call("GET", "/proxies/a"))[2])
    assert shown["enabled"] is True
    assert shown["toxics"] == []


async def test_populate_creates_replaces_and_leaves_alone(api: Api) -> None:
    await api.call("POST", "/proxies/a/toxics", {"name": "hole", "type": "timeout"})
    same = {"name": "a", "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
    new = {"name": "b", "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
    both = f'{{"proxies":[{OFF % ("a", TIMEOUT)},{OFF % ("b", "")}]}}'
    assert await api.call("POST", "/populate", [same, new]) == (201, JSON, both)
    other = same | {"upstream": "127.0.0.1:10"}
    replaced = (OFF % ("a", "")).replace("127.0.0.1:9", "127.0.0.1:10")
    assert await api.call("POST", "/populate", [other]) == (201, JSON, f'{{"proxies":[{replaced}]}}')


@pytest.mark.parametrize("body", ["[]", "null"])
async def test_populate_with_nothing_answers_null(api: Api, body: str) -> None:
    assert await api.call("POST", "/populate", body) == (201, JSON, '{"proxies":null}')


async def test_populate_checks_all_before_it_creates_any(api: Api) -> None:
    good = {"name": "c", "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
    wanted = '{"error":"missing required field: upstream at proxy 2","status":400,"proxies":null}'
    assert await api.call("POST", "/populate", [good, {"name": "d"}]) == (400, JSON, wanted)
    assert await api.call("GET", "/proxies/c") == error(404, "proxy not found")


async def test_populate_keeps_what_it_made_before_an_error(api: Api) -> None:
    good = {"name": "c", "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": False}
    bad = {"name": "d", "listen": "garbage", "upstream": "127.0.0.1:9"}
    status, kind, text = await api.call("POST", "/populate", [good, bad])
    assert (status, kind) == (500, JSON)
    assert json.loads(text)["proxies"] == [json.loads(OFF % ("c", ""))]
    assert (await api.call("GET", "/proxies/c"))[0] == 200


EVERY_TOXIC = {
    "latency": '"latency":0,"jitter":0',
    "bandwidth": '"rate":0',
    "slow_close": '"delay":0',
    "timeout": '"timeout":0',
    "reset_peer": '"timeout":0',
    "slicer": '"average_size":0,"size_variation":0,"delay":0',
    "limit_data": '"bytes":0',
    "noop": "",
}


@pytest.mark.parametrize("kind", EVERY_TOXIC)
async def test_every_toxic_has_the_same_attributes_in_the_same_order(api: Api, kind: str) -> None:
    shown = (
        f'{{"attributes":{{{EVERY_TOXIC[kind]}}},"name":"{kind}_upstream","type":"{kind}",'
        f'"stream":"upstream","toxicity":1}}'
    )
    wanted = {"type": kind, "stream": "upstream", "attributes": {"unknown": "x"}}
    assert await api.call("POST", "/proxies/a/toxics", wanted) == (200, JSON, shown)


async def test_what_follows_a_body_is_ignored_and_of_two_like_keys_the_last_counts(api: Api) -> None:
    body = '{"name":"k","name":"n","listen":"127.0.0.1:1","upstream":"127.0.0.1:9","enabled":false} junk'
    assert await api.call("POST", "/proxies", body) == (201, JSON, OFF % ("n", ""))


async def test_toxics_in_populate_are_ignored_and_so_is_enabled_of_what_is_there(api: Api) -> None:
    same = {"name": "a", "listen": "127.0.0.1:1", "upstream": "127.0.0.1:9", "enabled": True}
    new = same | {"name": "b", "enabled": False, "toxics": [{"type": "latency"}]}
    both = f'{{"proxies":[{OFF % ("a", "")},{OFF % ("b", "")}]}}'
    assert await api.call("POST", "/populate", [same, new]) == (201, JSON, both)


@pytest.mark.parametrize("body", ["{}", "5", "[5]", "", "{"])
async def test_populate_of_the_wrong_form_is_refused_as_json(api: Api, body: str) -> None:
    status, kind, text = await api.call("POST", "/populate", body)
    assert (status, kind) == (400, JSON)
    said = json.loads(text)
    assert list(said) == ["error", "status", "proxies"]
    assert said["error"].startswith("bad request body: ")


@pytest.mark.parametrize("body", ["{", "[]", "5", '{"type":5}', '{"type":"noop","toxicity":"1"}'])
async def test_a_toxic_of_the_wrong_form_is_refused(api: Api, body: str) -> None:
    status, kind, text = await api.call("POST", "/proxies/a/toxics", body)
    assert (status, kind) == (400, PLAIN)
    assert json.loads(text)["error"].startswith("bad request body: ")


@pytest.mark.parametrize("path", ["/nope", "/proxies/", "/proxies/a/", "/proxies/a/toxics/t/more"])
async def test_an_unknown_path_is_no_page(api: Api, path: str) -> None:
    assert await api.call("GET", path) == (404, PLAIN, "404 page not found\n")


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/proxies"), ("HEAD", "/proxies"), ("DELETE", "/reset")]
)
async def test_another_method_is_not_allowed(api: Api, method: str, path: str) -> None:
    assert (await api.call(method, path))[0] == 405


async def test_browsers_are_turned_away(api: Api) -> None:
    answer = await api.call("GET", "/proxies", **{"User-Agent": "Mozilla/5.0"})
    assert answer == (403, PLAIN, "User agent not allowed\n")


async def test_every_answer_of_a_route_has_an_id_and_errors_are_not_sniffed(api: Api) -> None:
    async with (
        api.session.get(api.url + "/proxies") as first,
        api.session.get(api.url + "/proxies/zz") as second,
    ):
        ids = {answer.headers["X-Toxiproxy-Request-Id"] for answer in (first, second)}
        assert len(ids) == 2
        assert second.headers["X-Content-Type-Options"] == "nosniff"
