"""A proxy that stops while a caller is just coming keeps nothing of them."""

import asyncio
import socket
from contextlib import suppress

import pytest

from faults.toxiproxy.address import split
from faults.toxiproxy.budget import Budget
from faults.toxiproxy.proxy import Proxy, Setting
from faults.toxiproxy.traffic import Traffic

pytestmark = pytest.mark.real

TURNS = 6  # of the loop: more than it takes from the kernel's word of a caller to a connection that stands


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # asyncio drops the socket unclosed
@pytest.mark.parametrize("turns", range(TURNS))
async def test_a_caller_who_comes_while_it_stops_is_not_kept(turns: int) -> None:
    proxy = Proxy(Setting("p", "127.0.0.1:0", "127.0.0.1:1"), seed=0, traffic=Traffic(), budget=Budget())
    await proxy.configure(Setting("p", "127.0.0.1:0", "127.0.0.1:1"))
    with socket.create_connection(split(proxy.setting.listen)) as caller:
        for _ in range(turns):
            await asyncio.sleep(0)
        proxy.stop()
        await _gone(caller)
    assert not proxy.connections


async def _gone(caller: socket.socket) -> None:
    """Wait until the caller is turned away."""
    caller.setblocking(False)
    with suppress(ConnectionResetError):
        async with asyncio.timeout(5):
            assert await asyncio.get_running_loop().sock_recv(caller, 1) == b""
