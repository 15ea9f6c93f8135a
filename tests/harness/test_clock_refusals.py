"""Whatever would wait for the world outside is refused under the virtual loop, by its name."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import aiohttp.web
import pytest

from harness.clock import OutsideWorld, VirtualLoop

WORK = set(
    """
    run_forever run_until_complete stop is_running is_closed close shutdown_asyncgens
    shutdown_default_executor call_soon call_soon_threadsafe call_later call_at time create_future create_task
    add_signal_handler remove_signal_handler set_task_factory get_task_factory get_exception_handler
    set_exception_handler default_exception_handler call_exception_handler get_debug set_debug
    """.split()
)  # each is used by the tests of the clock, or does not wait
LOOP_API = {name for name in dir(asyncio.AbstractEventLoop) if not name.startswith("_")}


@pytest.mark.parametrize("name", sorted(LOOP_API - WORK))
async def test_all_of_the_loop_that_touches_the_outside_is_refused_when_called(name: str) -> None:
    with pytest.raises(OutsideWorld, match=f"no sockets, threads or processes, but {name} was asked for"):
        getattr(asyncio.get_running_loop(), name)()


def test_what_works_is_what_the_loop_does_not_refuse(virtual_loop: VirtualLoop) -> None:
    assert WORK <= LOOP_API
    assert "sock_recv" in LOOP_API - WORK
    assert virtual_loop.get_task_factory() is None
    assert virtual_loop.get_exception_handler() is None
    assert "virtual" in repr(virtual_loop).lower()


async def a_thread() -> None:
    await asyncio.to_thread(print)


async def a_pool() -> None:
    with ThreadPoolExecutor(1) as pool:
        await asyncio.get_running_loop().run_in_executor(pool, print)


async def a_process() -> None:
    await asyncio.create_subprocess_exec("true")


async def a_shell() -> None:
    await asyncio.create_subprocess_shell("true")


async def a_connection() -> None:
    await asyncio.open_connection("127.0.0.1", 1)


async def a_unix_connection() -> None:
    await asyncio.open_unix_connection("/tmp/none")  # noqa: S108 - is never opened


async def a_server() -> None:
    await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)


async def a_datagram() -> None:
    await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol, ("127.0.0.1", 0))


async def a_read_from_a_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        await asyncio.get_running_loop().sock_recv(ours, 1)


async def an_http_call_by_name() -> None:
    async with aiohttp.ClientSession() as session:
        await session.get("http://localhost:1/health")


async def an_http_call_by_address() -> None:
    async with aiohttp.ClientSession() as session:
        await session.get("http://127.0.0.1:1/health")


async def an_http_server() -> None:
    runner = aiohttp.web.AppRunner(aiohttp.web.Application())
    await runner.setup()
    try:
        await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("reach", "named"),
    [
        (a_thread, "run_in_executor"),
        (a_pool, "run_in_executor"),
        (a_process, "subprocess_exec"),
        (a_shell, "subprocess_shell"),
        (a_connection, "create_connection"),
        (a_unix_connection, "create_unix_connection"),
        (a_server, "create_server"),
        (a_datagram, "create_datagram_endpoint"),
        (a_read_from_a_socket, "sock_recv"),
        (an_http_call_by_name, "getaddrinfo"),
        (an_http_call_by_address, "sock_connect"),
        (an_http_server, "create_server"),
    ],
)
async def test_the_usual_ways_out_are_refused(reach: Callable[[], Awaitable[None]], named: str) -> None:
    with pytest.raises(OutsideWorld, match=f"but {named} was asked for"):
        await asyncio.wait_for(reach(), 60)


async def test_a_call_from_another_thread_is_refused() -> None:
    loop = asyncio.get_running_loop()
    told: list[BaseException] = []

    def call() -> None:
        try:
            loop.call_soon_threadsafe(print)
        except OutsideWorld as error:
            told.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert "a call from another thread" in str(told[0])
