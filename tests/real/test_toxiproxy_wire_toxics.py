"""Toxics on the wire, byte for byte: the same calls to our server and to the original, the same answers."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.faults.toxiproxy.plain_api import JSON, OFF, PLAIN, TIMEOUT, Api, error, plain_api
from tests.faults.toxiproxy.servers import BOTH

pytestmark = pytest.mark.real

LATENCY = (
    '{"attributes":{"latency":5,"jitter":0},"name":"latency_UpStream","type":"latency",'
    '"stream":"UpStream","toxicity":1}'
)
BANDWIDTH = (
    '{"attributes":{"rate":7},"name":"bandwidth_downstream","type":"bandwidth",'
    '"stream":"downstream","toxicity":0.2}'
)


@pytest.fixture(params=BOTH)
async def api(request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    async with plain_api(request.param) as api:
        yield api


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


@pytest.mark.parametrize("body", ["{", "[]", "5", '{"type":5}', '{"type":"noop","toxicity":"1"}'])
async def test_a_toxic_of_the_wrong_form_is_refused(api: Api, body: str) -> None:
    status, kind, text = await api.call("POST", "/proxies/a/toxics", body)
    assert (status, kind) == (400, PLAIN)
    assert json.loads(text)["error"].startswith("bad request body: ")
