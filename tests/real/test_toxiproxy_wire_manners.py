"""What holds for every route, byte for byte: the same calls to our server and to the original."""

import json
from collections.abc import AsyncIterator

import pytest

from tests.faults.toxiproxy.plain_api import PLAIN, Api, plain_api
from tests.faults.toxiproxy.servers import BOTH

pytestmark = pytest.mark.real


@pytest.fixture(params=BOTH)
async def api(request: pytest.FixtureRequest) -> AsyncIterator[Api]:
    async with plain_api(request.param) as api:
        yield api


async def test_the_version_is_json_with_a_blank(api: Api) -> None:
    status, kind, text = await api.call("GET", "/version")
    assert (status, kind) == (200, "application/json;charset=utf-8")
    assert text == f'{{"version": "{json.loads(text)["version"]}"}}\n'


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
