"""A link fault through either Toxiproxy server: it is there, and it is gone when its block ends."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from faults.link.link_latency import LinkLatency
from harness.serving.journal import Journal
from harness.serving.proxy_server import RunningToxiproxy, open_toxiproxy
from harness.serving.real_site import RealSite

pytestmark = pytest.mark.real

REAL = pytest.param(
    "auto",
    marks=pytest.mark.skipif(
        shutil.which("toxiproxy-server") is None,
        reason="no toxiproxy-server on PATH: nothing to compare with",
    ),
)


async def chatter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers each line with a stream of small pieces, as a model does."""
    try:
        while line := await reader.readline():
            for _ in range(16):
                writer.write(line)
                await asyncio.sleep(0.01)
    except ConnectionError:
        pass
    finally:
        writer.close()


@pytest.fixture(params=["embedded", REAL])
async def toxiproxy(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[RunningToxiproxy]:
    journal = Journal("test-link", tmp_path)
    async with open_toxiproxy(request.param, "test-link", journal) as running:
        yield running
    journal.close()


async def first_piece_s(listen: str, give_up_s: float = 10.0) -> float:
    host, port = listen.split(":")
    started = time.monotonic()
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(b"hello\n")
        async with asyncio.timeout(give_up_s):
            assert await reader.readline() == b"hello\n"
        return time.monotonic() - started
    finally:
        writer.close()


async def test_a_link_heals_though_callers_left_while_it_held_their_answers(
    toxiproxy: RunningToxiproxy,
) -> None:
    """Every timeout leaves such a connection behind; removing the toxic itself would hang Toxiproxy 2.12."""
    server = await asyncio.start_server(chatter, "127.0.0.1", 0)
    worker = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    proxy = await toxiproxy.client.create("test-link.worker-0", "127.0.0.1:0", worker)
    site = RealSite("worker-0", None, None, toxiproxy.client, proxy)
    healthy_s = await first_piece_s(proxy.listen)
    async with LinkLatency(latency_s=3).install(site):
        for _ in range(8):
            with pytest.raises(TimeoutError):
                await first_piece_s(proxy.listen, give_up_s=0.2)
    assert await toxiproxy.client.toxics(proxy.name) == ()
    assert await first_piece_s(proxy.listen) < healthy_s + 1.0
    server.close()
