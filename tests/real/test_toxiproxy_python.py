"""toxiproxy-python as it comes, in its ordinary use, against our server and the original."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from toxiproxy import Toxiproxy
from toxiproxy.api import APIConsumer
from toxiproxy.exceptions import InvalidToxic, NotFound, ProxyExists

from tests.faults.toxiproxy.servers import BOTH, running

pytestmark = pytest.mark.real


@pytest.fixture(params=BOTH)
async def toxiproxy(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Toxiproxy]:
    """The library's own object. It blocks, so every test runs it in a thread beside the server's loop."""
    async with running(request.param) as url:
        monkeypatch.setattr(APIConsumer, "host", urlsplit(url).hostname)
        monkeypatch.setattr(APIConsumer, "port", urlsplit(url).port)
        yield Toxiproxy()


async def test_a_proxy_is_created_found_and_destroyed(toxiproxy: Toxiproxy) -> None:
    def use() -> None:
        proxy = toxiproxy.create(upstream="127.0.0.1:9", name="p")
        assert proxy.listen.startswith("127.0.0.1:")
        assert proxy.enabled is True
        assert toxiproxy.get_proxy("p").upstream == "127.0.0.1:9"
        with pytest.raises(ProxyExists):
            toxiproxy.create(upstream="127.0.0.1:9", name="p")
        assert toxiproxy.destroy(proxy) is True
        assert toxiproxy.proxies() == {}
        with pytest.raises(NotFound):
            proxy.destroy()

    await asyncio.to_thread(use)


async def test_it_sees_a_running_server_and_its_version(toxiproxy: Toxiproxy) -> None:
    def use() -> None:
        assert toxiproxy.running() is True
        assert b'"version"' in toxiproxy.version()

    await asyncio.to_thread(use)


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [("latency", {"latency": 20, "jitter": 5}), ("bandwidth", {"rate": 30}), ("timeout", {"timeout": 40})],
)
async def test_a_toxic_is_added_found_and_destroyed(
    toxiproxy: Toxiproxy, kind: str, attributes: dict[str, int]
) -> None:
    def use() -> None:
        proxy = toxiproxy.create(upstream="127.0.0.1:9", name="p")
        proxy.add_toxic(type=kind, attributes=attributes)
        proxy.add_toxic(type=kind, name="mine", stream="upstream", toxicity=0.5, attributes=attributes)
        toxic = proxy.get_toxic("mine")
        assert (toxic.type, toxic.stream, toxic.toxicity, toxic.attributes) == (
            kind,
            "upstream",
            0.5,
            attributes,
        )
        assert set(proxy.toxics()) == {"mine", f"{kind}_downstream"}
        assert proxy.destroy_toxic("mine") is True
        assert set(proxy.toxics()) == {f"{kind}_downstream"}
        with pytest.raises(NotFound):
            proxy.destroy_toxic("mine")

    await asyncio.to_thread(use)


async def test_an_unknown_toxic_is_invalid(toxiproxy: Toxiproxy) -> None:
    def use() -> None:
        proxy = toxiproxy.create(upstream="127.0.0.1:9", name="p")
        with pytest.raises(InvalidToxic):
            proxy.add_toxic(type="slowness")

    await asyncio.to_thread(use)


async def test_a_proxy_goes_down_and_up_again(toxiproxy: Toxiproxy) -> None:
    def use() -> None:
        proxy = toxiproxy.create(upstream="127.0.0.1:9", name="p")
        with proxy.down():
            assert toxiproxy.get_proxy("p").enabled is False
        assert toxiproxy.get_proxy("p").enabled is True
        assert toxiproxy.get_proxy("p").listen == proxy.listen

    await asyncio.to_thread(use)


async def test_many_are_populated_reset_and_destroyed(toxiproxy: Toxiproxy) -> None:
    def use() -> None:
        wanted = [
            {"name": name, "upstream": "127.0.0.1:9", "listen": "127.0.0.1:0", "enabled": name == "a"}
            for name in "ab"
        ]
        assert [proxy.name for proxy in toxiproxy.populate(wanted)] == ["a", "b"]
        toxiproxy.get_proxy("a").add_toxic(type="latency")
        assert toxiproxy.reset() is True
        assert [proxy.enabled for proxy in toxiproxy.proxies().values()] == [True, True]
        assert toxiproxy.get_proxy("a").toxics() == {}
        toxiproxy.destroy_all()
        assert toxiproxy.proxies() == {}

    await asyncio.to_thread(use)
