"""The link of virtual runs: carries attempts to a worker in the same process, through the same toxics.

Without toxics an attempt is handed over as it is. With toxics its request and the pieces of its answer travel
as bytes of the size that they have on a real wire, through the chains of the embedded Toxiproxy. Connections
are kept open and used again as an HTTP client does, since toxics work on connections.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import count
from math import inf

from faults.site import Toxic as Order
from faults.toxiproxy.chunk import End
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.order import TimedToxic
from faults.toxiproxy.owned import orders as named
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.proxy_toxics import ProxyToxics
from faults.toxiproxy.toxics import TOXICS
from harness.serving.halt import Halt
from harness.serving.link import LOAD_TIMEOUT_S
from harness.serving.load_report import LoadReport
from harness.serving.memory_attempt import Carried
from harness.serving.memory_connection import MemoryConnection
from harness.serving.memory_probe import MemoryLine
from harness.serving.probe import Probe
from harness.serving.probing import run_probe
from harness.serving.worker import Worker
from policies.call import Attempt, Call
from policies.outcome import OK, Outcome
from policies.policy import Next
from policies.pool import Load

KEEP_ALIVE_S = 15.0  # as aiohttp's clients do
OWNER = "run"  # whose toxics they are: there is nobody else in this process


class MemoryLink:
    """The way from the gateway to `worker`. `link_s`: what it takes without a fault, all on the way there."""

    def __init__(self, worker: Worker, link_s: float = 0.0, seed: int = 0) -> None:
        self.worker = worker
        self.link_s = link_s
        self.seed = seed
        self.down = False
        self.halt = Halt()  # of the worker's process
        self.connections: dict[MemoryConnection, None] = {}  # open ones, the idle too
        self.toxics = ProxyToxics(self.connections)
        self._idle: deque[MemoryConnection] = deque()
        self._handle: Next = worker.handle
        self._report: LoadReport | None = None  # kept once somebody has asked for it
        self._asked = count(1)
        self._connected = count(1)

    async def send(self, attempt: Attempt) -> Outcome:
        return await self._carry(attempt, self._handle)

    async def probe(self) -> Probe:
        """What a small request sees that costs the worker nothing."""
        return await run_probe(MemoryLine(self))

    async def load(self) -> Load | None:
        """The worker's load when the question reaches it."""
        if self._report is None:
            self._report = LoadReport(self.worker)
            self._handle = self._report.handle
        if not self.toxics.placements:
            return await self._load_at_once(self._report)
        said: list[Load] = []
        ask = partial(_say_load, self._report, said)
        call = Call(id=f"load {next(self._asked)}")
        attempt = Attempt(call=call, worker=self.worker.name, number=1, started_s=0.0)
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                outcome = await self._carry(attempt, ask)
        except TimeoutError:
            return None
        return said[0] if outcome.answered else None

    async def _load_at_once(self, report: LoadReport) -> Load | None:
        """Without the bytes and the connection: several of these are asked for with every request."""
        if self.link_s:
            await asyncio.sleep(self.link_s)
        if self.halt.cycle is not None and not await self.halt.over_within(LOAD_TIMEOUT_S):
            return None
        return None if self.down else report.load(asyncio.get_running_loop().time())

    async def _carry(self, attempt: Attempt, handle: Next) -> Outcome:
        """Carry one attempt over a connection that is free, or a new one."""
        connection = self._free() or self.connect()
        carried = Carried(self, connection, attempt)
        try:
            return await carried.run(handle)
        finally:
            if carried.is_complete:
                self._keep(connection)
            else:
                self.leave(connection)

    # Connections.

    def connect(self) -> MemoryConnection:
        """A new connection."""
        name = f"{self.seed}/{self.worker.name}/{next(self._connected)}"
        connection = MemoryConnection(name, self.toxics.placements)
        self.connections[connection] = None
        return connection

    def leave(self, connection: MemoryConnection) -> None:
        """Close a connection from the caller's side."""
        self.connections.pop(connection, None)
        connection.close()

    def close(self) -> None:
        """Close the connections that carry nothing."""
        while self._idle:
            self.leave(self._idle.popleft())

    def busy(self) -> list[MemoryConnection]:
        """Those that carry something."""
        return [each for each in self.connections if each not in self._idle]

    def _free(self) -> MemoryConnection | None:
        """The one that has been idle for longest, as aiohttp takes them."""
        oldest_s = asyncio.get_running_loop().time() - KEEP_ALIVE_S
        while self._idle:
            connection = self._idle.popleft()
            if connection.is_open and connection.idle_since_s >= oldest_s:
                return connection
            self.leave(connection)
        return None

    def _keep(self, connection: MemoryConnection) -> None:
        connection.on_lost = None
        connection.idle_since_s = asyncio.get_running_loop().time()
        self._idle.append(connection)

    # What faults do.

    def set_toxics(self, toxics: Sequence[Order], lease_s: float = inf) -> None:
        """Have these on the link for `lease_s`, on open connections too, and no others.

        ValueError for what is no toxic.
        """
        placed = [_placement(name, toxic) for name, toxic in zip(named(OWNER, toxics), toxics, strict=True)]
        if placed:
            self.worker.take_single_steps()  # a piece that is delayed must set out when it is made
        time_limit_s = None if lease_s == inf else lease_s
        self.toxics.set_owned(OWNER, [TimedToxic(each, time_limit_s) for each in placed])
        if not placed:
            self.worker.take_strides()

    def remove_toxics(self) -> None:
        """What they held goes on at once; connections on which something was swallowed are closed."""
        self.set_toxics(())

    def take_down(self) -> None:
        """Break every connection and those to come: the worker is gone."""
        self.down = True
        self.cut()

    def bring_up(self, worker: Worker) -> None:
        """Another worker is there, in the place of one that was taken down."""
        self.worker, self._handle, self._report = worker, worker.handle, None
        self.down = False

    def cut(self) -> None:
        """Break every open connection."""
        self.worker.catch_up()  # what was made before has left before; a wire that is closed carries nothing
        for connection in list(self.connections):
            connection.break_off(End.CLOSE)
        self.connections.clear()
        self._idle.clear()


def _placement(name: str, order: Order) -> Placement:
    if order.type not in TOXICS:
        raise ValueError(f"toxic {order.type}: expected one of {', '.join(TOXICS)}")
    stream = Direction(order.direction).stream
    return Placement(name, stream, TOXICS[order.type](**order.attributes), order.toxicity)


async def _say_load(report: LoadReport, said: list[Load], _call: Call) -> Outcome:
    said.append(report.load(asyncio.get_running_loop().time()))
    return OK
