"""One proxy: a listener in front of one worker, its connections, and the toxics on them."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from faults.toxiproxy import address
from faults.toxiproxy.budget import Budget
from faults.toxiproxy.connection import Connection
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.order import Extras
from faults.toxiproxy.proxy_toxics import ProxyToxics
from faults.toxiproxy.reception import AT_ONCE
from faults.toxiproxy.side import READ_BYTES, Side
from faults.toxiproxy.traffic import Traffic

_BACKLOG = 1024  # a burst of callers must wait in the kernel, not be refused


@dataclass(frozen=True, slots=True)
class Setting:
    """What the control plane says about a proxy."""

    name: str
    listen: str  # host:port; the bound address once it listens
    upstream: str  # host:port of the worker: Toxiproxy's own word, used on its wire
    enabled: bool = True


class Proxy:
    """Starts disabled; `configure` with an enabled setting makes it listen."""

    def __init__(
        self, setting: Setting, seed: int, traffic: Traffic, budget: Budget, mode: Mode = SANE
    ) -> None:
        self.setting = replace(setting, enabled=False)
        self.reception = AT_ONCE
        self._traffic = traffic
        self._budget = budget
        self._seed = seed
        self._mode = mode
        self._accepted = 0
        self._buffer = bytearray(READ_BYTES)
        self.connections: dict[Connection, None] = {}  # open ones, the oldest first
        self.toxics = ProxyToxics(self.connections)
        self._server: asyncio.Server | None = None

    async def configure(self, setting: Setting) -> None:
        """Become as `setting` says. Another address closes all connections; toxics stay.

        Refused if it cannot listen; then it stays as it was, but disabled.
        """
        if self.same_place(setting) and setting.enabled == self.setting.enabled:
            return
        self.stop()
        if setting.enabled:
            await self._listen(setting)
        else:
            self.setting = setting

    def take(self, extras: Extras) -> None:
        """Receive so from the next caller on, and put these toxics there."""
        self.reception = extras.reception(self.reception)
        for order in extras.toxics:
            self.toxics.put(order)

    def stop(self) -> None:
        """Close the listener and every connection, at once."""
        self.setting = replace(self.setting, enabled=False)
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self.connections):
            connection.abort()

    def close(self) -> None:
        """Stop for good."""
        self.stop()
        self.toxics.upkeep.close()

    # Below here: helpers.

    def same_place(self, setting: Setting) -> bool:
        """Whether it would listen and dial as it does now; `localhost` is 127.0.0.1.

        Refused for a new place that is none. The old one may be such, while the proxy is disabled.
        """
        if setting.upstream != self.setting.upstream:
            return False
        now = self.setting.listen
        return now == setting.listen or now == address.join(
            *address.listen_address(setting.listen, before="")
        )

    async def _listen(self, setting: Setting) -> None:
        host, port = address.listen_address(setting.listen)
        try:
            self._server = await asyncio.get_running_loop().create_server(
                self._accept, host, port, backlog=_BACKLOG
            )
        except OSError as error:
            why = os.strerror(error.errno or 0).lower()
            raise Refused(500, f"listen tcp {address.join(host, port)}: bind: {why}") from None
        bound = self._server.sockets[0].getsockname()
        self.setting = replace(setting, listen=address.join(bound[0], bound[1]))

    def _accept(self) -> Side:
        """ConnectionAbortedError for a caller of the moment in which the proxy stops: the loop drops them."""
        if self._server is None:
            raise ConnectionAbortedError
        self._accepted += 1
        setting = self.setting
        name = f"{self._seed}/{setting.name}/{self._accepted}"
        connection = Connection(
            name,
            self.toxics.placements,
            self._dial,
            self._buffer,
            self._gone,
            self._budget,
            self._mode,
            self.reception,
        )
        self.connections[connection] = None
        self._traffic.begin(connection, setting.listen, setting.name, setting.upstream)
        return connection.caller

    def _gone(self, connection: Connection) -> None:
        self.connections.pop(connection, None)
        self._traffic.end(connection)

    def _dial(self, protocol: Callable[[], asyncio.BaseProtocol]) -> Awaitable[object]:
        """Connect to the worker. ValueError for an address that is none."""
        host, port = address.split(self.setting.upstream)
        return asyncio.get_running_loop().create_connection(protocol, host or "127.0.0.1", port)
