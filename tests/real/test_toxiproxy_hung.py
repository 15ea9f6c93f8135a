"""Servers that accept and never answer, or answer as something else: an error in time, and an exit."""

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import pytest

from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError
from tests.faults.toxiproxy.servers import worker

pytestmark = pytest.mark.real

LIMIT_S = 0.3

PROGRAM = """
import asyncio, sys
from faults.toxiproxy.client import ToxiproxyClient
from faults.toxiproxy.errors import ToxiproxyError

async def main():
    try:
        await ToxiproxyClient(sys.argv[1], call_limit_s=0.3).create("p", "127.0.0.1:0", "127.0.0.1:9")
    except ToxiproxyError as error:
        print(error)

asyncio.run(main())
"""


@pytest.fixture
def hung() -> Iterator[str]:
    """The URL of a server that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize(
    "call", ["version", "list", "create", "delete", "add_toxic", "remove_toxic", "toxics"]
)
async def test_every_call_ends_within_its_limit(hung: str, call: str) -> None:
    client = ToxiproxyClient(hung, call_limit_s=LIMIT_S)
    calls = {
        "version": client.version,
        "list": client.list,
        "create": lambda: client.create("p", "127.0.0.1:0", "127.0.0.1:9"),
        "delete": lambda: client.delete("p"),
        "add_toxic": lambda: client.add_toxic("p", "t", "latency", "to_caller", {}),
        "remove_toxic": lambda: client.remove_toxic("p", "t"),
        "toxics": lambda: client.toxics("p"),
    }
    start_s = time.perf_counter()
    with pytest.raises(ToxiproxyError, match=r"did not answer within 0\.3 s when asked to .* restart it"):
        await calls[call]()
    assert LIMIT_S * 0.9 <= time.perf_counter() - start_s < LIMIT_S * 5
    await client.settled()


async def test_the_event_loop_runs_on_meanwhile(hung: str) -> None:
    client = ToxiproxyClient(hung, call_limit_s=LIMIT_S)
    call = asyncio.create_task(client.version())
    turns = 0
    while not call.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 50
    assert isinstance(call.exception(), ToxiproxyError)
    await client.settled()


async def test_a_call_that_is_cancelled_is_still_waited_for(hung: str) -> None:
    client = ToxiproxyClient(hung, call_limit_s=LIMIT_S)
    call = asyncio.create_task(client.version())
    await asyncio.sleep(0.05)
    call.cancel()
    start_s = time.perf_counter()
    await client.settled()
    assert time.perf_counter() - start_s >= LIMIT_S * 0.5


def test_a_process_with_a_call_that_never_ends_exits() -> None:
    """The server drips: no single wait for it is long, so nothing below us ever gives up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=drip, args=(listener,), daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        program = [sys.executable, "-W", "error", "-c", PROGRAM, url]
        done = subprocess.run(program, capture_output=True, text=True, timeout=30)
    assert "did not answer within 0.3 s when asked to create proxy 'p'" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def drip(listener: socket.socket) -> None:
    """Send one caller a header without end."""
    caller, _ = listener.accept()
    with caller, suppress(OSError):
        caller.sendall(b"HTTP/1.0 200 OK\r\nDrip: ")
        while True:
            caller.sendall(b".")
            time.sleep(0.02)


async def test_nobody_there_is_told_with_the_cause() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with pytest.raises(ToxiproxyError, match=r"cannot reach Toxiproxy at .*: connection refused"):
        await ToxiproxyClient(url).version()


@pytest.fixture(
    params=[
        b"HTTP/1.0 200 OK\r\n\r\n<html>hello</html>",
        b'HTTP/1.0 200 OK\r\n\r\n{"status": "fine"}',
        b"HTTP/1.0 200 OK\r\n\r\n[1]",
        b"HTTP/1.0 404 Not Found\r\n\r\nno such page",
        b"HTTP/1.0 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
    ]
)
async def stranger(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The URL of an HTTP server that is no Toxiproxy."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(request.param)
        await writer.drain()

    async with worker(answer) as address:
        yield f"http://{address}"


async def test_another_kind_of_server_is_told_as_such(stranger: str) -> None:
    with pytest.raises(ToxiproxyError, match="is no Toxiproxy: asked to tell its version") as told:
        await ToxiproxyClient(stranger).version()
    assert "\n" not in str(told.value)


async def test_a_server_in_trouble_is_not_taken_for_one_without_extensions() -> None:
    async def busy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 503 Service Unavailable\r\n\r\n<h1>timeout</h1>")

    async with worker(busy) as address:
        with pytest.raises(ToxiproxyError, match="asked to tell what it can do"):
            await ToxiproxyClient(f"http://{address}").has_extensions()


async def test_a_proxy_in_the_environment_is_not_used(hung: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls to loopback stay on loopback, whatever HTTP_PROXY says."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, hung)
    monkeypatch.delenv("no_proxy", raising=False)

    async def version(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.0 200 OK\r\n\r\n{"version": "2.12.0"}')

    async with worker(version) as address:
        assert await ToxiproxyClient(f"http://{address}", call_limit_s=LIMIT_S * 5).version() == "2.12.0"


@pytest.mark.parametrize("url", ["127.0.0.1:8474", "https://127.0.0.1:8474", "http://127.0.0.1", "nonsense"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"expected http://host:port"):
        ToxiproxyClient(url)


async def test_two_clients_drive_two_servers() -> None:
    """toxiproxy-python alone keeps one server for the whole process."""

    def telling(text: bytes):
        async def version(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b'HTTP/1.0 200 OK\r\n\r\n{"version": "%s"}' % text)

        return version

    async with worker(telling(b"1")) as one, worker(telling(b"2")) as two:
        clients = [ToxiproxyClient(f"http://{address}") for address in (one, two)]
        assert [await client.version() for client in clients] == ["1", "2"]
