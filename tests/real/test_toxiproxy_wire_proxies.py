"""Proxies on the wire, byte for byte: the same calls to our server and to the original, the same answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.faults.toxiproxy.plain_api import JSON, OFF, PLAIN, Api, error, plain_api
from tests.faults.toxiproxy.servers import BOTH

pytestmark = pytest.mark.real


@pytest.fixture(params=BOTH)
async def api(request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    async with plain_api(request.param) as api:
        yield api


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


@pytest.mark.parametrize(
    ("listen", "why"),
    [("garbage", "address garbage: missing port in address"), ("127.0.0.1:x", "lookup tcp/x: unknown port")],
)
async def test_a_proxy_is_not_moved_to_what_is_no_address(api: Api, listen: str, why: str) -> None:
    assert await api.call("POST", "/proxies/a", {"listen": listen}) == error(500, why)
    assert await api.call("GET", "/proxies/a") == (200, JSON, OFF % ("a", ""))


async def test_a_disabled_proxy_whose_address_is_none_can_be_given_another(api: Api) -> None:
    off = {"name": "n", "listen": "garbage", "upstream": "127.0.0.1:9", "enabled": False}
    assert (await api.call("POST", "/proxies", off))[0] == 201
    assert await api.call("POST", "/proxies/n", {"listen": "127.0.0.1:1"}) == (200, JSON, OFF % ("n", ""))


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


async def test_reset_enables_every_proxy_and_removes_every_toxic(api: Api) -> None:
    await api.call("PATCH", "/proxies/a", {"listen": "127.0.0.1:0"})
    await api.call("POST", "/proxies/a/toxics", {"type": "noop"})
    assert await api.call("POST", "/reset") == (204, "", "")
    shown = json.loads((await api.call("GET", "/proxies/a"))[2])
    assert shown["enabled"] is True
    assert shown["toxics"] == []


async def test_what_follows_a_body_is_ignored_and_of_two_like_keys_the_last_counts(api: Api) -> None:
    body = '{"name":"k","name":"n","listen":"127.0.0.1:1","upstream":"127.0.0.1:9","enabled":false} junk'
    assert await api.call("POST", "/proxies", body) == (201, JSON, OFF % ("n", ""))
