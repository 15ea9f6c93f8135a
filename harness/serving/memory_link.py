"""The link of virtual runs: carries attempts to a worker in the same process, through the same toxics.

Without toxics an attempt is handed over as it is. With toxics its request and the pieces of its answer travel
as bytes of the size that they have on a real wire, through the chains of the embedded Toxiproxy.
"""

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from itertools import count

from faults.site import Toxic as Order
from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics import TOXICS
from faults.toxiproxy.toxics.toxic import Toxic
from harness.serving.link import LOAD_TIMEOUT_S, PROBE_TIMEOUT_S
from harness.serving.load_report import LoadReport
from harness.serving.wire import Wire
from harness.serving.worker import Worker
from policies.call import Attempt, Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.policy import Next
from policies.pool import Load

REQUEST_BYTES = 400  # a completion of a few words, with its headers
PIECE_BYTES = 170  # an event with one token
TOKEN_BYTES = 5  # of text, in an answer that does not stream
TO_CALLER = "to_caller"


class MemoryLink:
    """The way from the gateway to `worker`. `link_s`: what it takes without a fault, all on the way there."""

    def __init__(self, worker: Worker, link_s: float = 0.0, seed: int = 0) -> None:
        self.worker = worker
        self.link_s = link_s
        self.seed = seed
        self.down = False
        self.toxics: list[tuple[str, Toxic]] = []  # the way that each works on, and itself
        self._open: dict[_Connection, None] = {}
        self._handle: Next = worker.handle
        self._report: LoadReport | None = None  # kept once somebody has asked for it
        self._asked = count(1)

    async def send(self, attempt: Attempt) -> Outcome:
        return await self._connect(attempt, self._handle)

    async def probe(self) -> None:
        """A small request there and back that costs the worker nothing. ConnectionError without an answer."""
        to = self.worker.name
        attempt = Attempt(call=Call(id="probe"), worker=to, number=1, started_s=0.0)
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                outcome = await self._connect(attempt, _healthy)
        except TimeoutError as late:
            raise ConnectionError(f"no answer through the link to {to} in {PROBE_TIMEOUT_S:g} s") from late
        if not outcome.answered:
            raise ConnectionError(f"{to} does not answer")

    async def load(self) -> Load | None:
        """The worker's load when the question reaches it."""
        if self._report is None:
            self._report = LoadReport(self.worker)
            self._handle = self._report.handle
        if not self.toxics:
            return await self._load_at_once(self._report)
        said: list[Load] = []
        ask = partial(_say_load, self._report, said)
        call = Call(id=f"load {next(self._asked)}")
        attempt = Attempt(call=call, worker=self.worker.name, number=1, started_s=0.0)
        try:
            async with asyncio.timeout(LOAD_TIMEOUT_S):
                outcome = await self._connect(attempt, ask)
        except TimeoutError:
            return None
        return said[0] if outcome.answered else None

    async def _load_at_once(self, report: LoadReport) -> Load | None:
        """Without the bytes and the connection: several of these are asked for with every request."""
        if self.link_s:
            await asyncio.sleep(self.link_s)
        return None if self.down else report.load(asyncio.get_running_loop().time())

    async def _connect(self, attempt: Attempt, handle: Next) -> Outcome:
        """Carry one attempt over a connection of its own."""
        connection = _Connection(self, attempt)
        self._open[connection] = None
        try:
            return await connection.run(handle)
        finally:
            del self._open[connection]
            connection.close()

    def set_toxics(self, orders: Sequence[Order]) -> None:
        """Have these on every connection, open ones too, and no others. ValueError for what is no toxic."""
        wanted = [(order.direction, _toxic(order)) for order in orders]
        if wanted == self.toxics:
            return
        if _places(wanted)[: len(self.toxics)] != _places(self.toxics):
            self.remove_toxics()
        self.toxics[:] = wanted
        if wanted:
            self.worker.take_single_steps()  # a piece that is delayed must set out when it is made
        for connection in self._open:
            connection.lay_wires()

    def remove_toxics(self) -> None:
        """Whoever waits on the link is cut off, as by a new proxy in the place of the old one."""
        self.toxics.clear()
        self.worker.take_strides()
        self.cut()

    def take_down(self) -> None:
        """Break every connection and those to come: the worker is gone."""
        self.down = True
        self.cut()

    def cut(self) -> None:
        """Break every open connection."""
        for connection in list(self._open):
            connection.cut()


class _Connection:
    """One attempt on the link. Its wires are laid when there are toxics, at the start or later."""

    __slots__ = ("_attempt", "_back", "_clock", "_is_cut", "_link", "_task", "_there", "_was_reset")

    def __init__(self, link: MemoryLink, attempt: Attempt) -> None:
        self._link = link
        self._attempt = attempt
        self._task: asyncio.Task[object] | None = asyncio.current_task()
        self._is_cut = False
        self._was_reset = False
        self._there: Wire | None = None
        self._back: Wire | None = None
        self._clock = asyncio.get_running_loop().time
        if link.toxics:
            self.lay_wires()

    async def run(self, handle: Next) -> Outcome:
        """Carry the attempt to `handle` and its answer back."""
        if self._task is None:
            raise RuntimeError("a link is used from within a task")
        before = self._task.cancelling()
        try:
            return await self._carry(handle)
        except asyncio.CancelledError:
            if self._is_cut and self._task.uncancel() <= before:
                return self._broke()
            raise

    def lay_wires(self) -> None:
        """From now on everything passes the toxics that are on the link."""
        there = [toxic for way, toxic in self._link.toxics if way != TO_CALLER]
        back = [toxic for way, toxic in self._link.toxics if way == TO_CALLER]
        self._there = self._wire(self._there, there, "there")
        self._back = self._wire(self._back, back, "back")

    def cut(self) -> None:
        """End the attempt as by a broken connection."""
        if not self._is_cut and self._task is not None:
            self._is_cut = True
            self._task.cancel()

    def close(self) -> None:
        if self._there is not None:
            self._there.close()
        if self._back is not None:
            self._back.close()

    async def _carry(self, handle: Next) -> Outcome:
        if self._link.link_s:
            await asyncio.sleep(self._link.link_s)
        if self._link.down:
            return self._broke()
        if self._there is not None:
            await self._pass(self._there, REQUEST_BYTES)
        self._attempt.catch_up = self._link.worker.catch_up
        try:
            outcome = await handle(self._call())
        finally:
            self._attempt.catch_up = None
        if self._back is not None:
            await self._pass(self._back, PIECE_BYTES)
        return outcome

    def _call(self) -> Call:
        call = self._attempt.call
        return Call(
            id=call.id,
            caller=call.caller,
            route=call.route,
            payload=call.payload,
            stream=call.stream,
            prompt_tokens=call.prompt_tokens,
            max_tokens=call.max_tokens,
            deadline_s=call.deadline_s,
            sink=self._take,
        )

    def _take(self, chunk: Chunk) -> None:
        if self._back is None:
            self._attempt.deliver(chunk, self._clock())
        else:
            size = PIECE_BYTES + TOKEN_BYTES * (chunk.tokens if not self._attempt.call.stream else 0)
            self._back.send(size, partial(self._deliver, chunk))

    def _deliver(self, chunk: Chunk) -> None:
        self._attempt.deliver(chunk, self._clock())

    async def _pass(self, wire: Wire, size: int) -> None:
        """Send something and wait until it has arrived."""
        arrived = asyncio.Event()
        wire.send(size, arrived.set)
        await arrived.wait()

    def _wire(self, laid: Wire | None, toxics: list[Toxic], way: str) -> Wire | None:
        """The wire with `toxics`, on which whatever is under way goes on."""
        if laid is not None:
            laid.lay(toxics)
            return laid
        if not toxics:
            return None
        rng = random.Random(f"{self._link.seed} {self._attempt.call.id} {self._attempt.number} {way}")
        return Wire(toxics, rng, self._wire_broke)

    def _wire_broke(self, how: End) -> None:
        self._was_reset = how is End.RESET
        self.cut()

    def _broke(self) -> Outcome:
        by = self._link.worker.name
        cause = f"the connection to {by} {'was reset' if self._was_reset else 'broke'}"
        return Outcome(kind=Kind.ERROR, phase="stream", cause=cause, by=by)


def _places(toxics: Sequence[tuple[str, Toxic]]) -> list[tuple[str, str]]:
    """What stays in place when only attributes change."""
    return [(way, toxic.kind) for way, toxic in toxics]


def _toxic(order: Order) -> Toxic:
    if order.type not in TOXICS:
        raise ValueError(f"toxic {order.type}: expected one of {', '.join(TOXICS)}")
    return TOXICS[order.type](**order.attributes)


async def _healthy(_call: Call) -> Outcome:
    return OK


async def _say_load(report: LoadReport, said: list[Load], _call: Call) -> Outcome:
    said.append(report.load(asyncio.get_running_loop().time()))
    return OK
