"""Populate on the wire, byte for byte: the same calls to our server and to the original, the same answers."""

import json
from collections.abc import AsyncIterator

import pytest

from tests.faults.toxiproxy.plain_api import JSON, OFF, TIMEOUT, Api, error, plain_api
from tests.faults.toxiproxy.servers import BOTH

pytestmark = pytest.mark.real


@pytest.fixture(params=BOTH)
async def api(request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    async with plain_api(request.param) as api:
        yield api


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
