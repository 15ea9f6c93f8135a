"""One toxic at work on one direction of one connection: an inbox, and a task that empties it.

A chunk stays in the inbox until the toxic has decided about it, and every move out of the inbox happens
without an await in between. So a task can be cancelled wherever it waits and nothing is lost: toxics are
updated and removed on live connections without asking them, and the control plane never waits for a reader.
"""

import asyncio
import random
from collections import deque
from typing import TYPE_CHECKING, Protocol

from faults.toxiproxy.budget import Budget
from faults.toxiproxy.chunk import Chunk, End, Inlet, Item, Outlet

if TYPE_CHECKING:
    from faults.toxiproxy.toxics.toxic import Toxic

_PIECES_IN_A_ROW = 16  # then others have their turn, or one chunk in single bytes would stop all connections
_CHUNK_COST_BYTES = 512  # bookkeeping counts too, or a million one-byte chunks would pass for a megabyte


class Course(Protocol):
    """What a toxic may know about the connection that it works on."""

    began_s: float  # loop time

    @property
    def heard_bytes(self) -> int:
        """Bytes read so far that go the other way."""
        ...


class Stub:
    """What a toxic works on. The toxic calls `next`, then `forward` or `drop`; the link does the rest."""

    __slots__ = (
        "_budget",
        "_eased",
        "_held_bytes",
        "_in_a_row",
        "_inbox",
        "_loop",
        "_task",
        "_waiter",
        "course",
        "inlet",
        "name",
        "outlet",
        "passed_bytes",
        "rng",
        "toxic",
    )

    def __init__(
        self,
        name: str,
        toxic: "Toxic",
        rng: random.Random,
        inlet: Inlet,
        outlet: Outlet,
        course: Course,
        budget: Budget,
    ) -> None:
        self.name = name
        self.toxic = toxic
        self.rng = rng
        self.passed_bytes = 0  # forwarded since the toxic came to this connection, whatever was updated since
        self.inlet = inlet
        self.outlet = outlet
        self.course = course
        self._eased = False  # another toxic is to take over where this one asks for its next chunk
        self._inbox: deque[Item] = deque()
        self._budget = budget
        self._held_bytes = 0
        self._in_a_row = 0  # pieces forwarded since others had their turn
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._task = self._loop.create_task(self._run())

    # For toxics.

    async def next(self, limit_s: float | None = None) -> Chunk | None:
        """The next chunk, left in the inbox; None at the end of the stream or after `limit_s` without one."""
        if not self._inbox:
            try:
                async with asyncio.timeout(limit_s):
                    await self._until_not_empty()
            except TimeoutError:
                return None
        if self._eased:
            raise _EasedError
        head = self._inbox[0]
        return head if isinstance(head, Chunk) else None

    async def forward(self, count: int | None = None, received_s: float | None = None) -> None:
        """Pass the next chunk on as soon as there is room, or only its first `count` bytes."""
        self._in_a_row = (self._in_a_row + 1) % _PIECES_IN_A_ROW
        if not self._in_a_row:
            await asyncio.sleep(0)
        while not self.outlet.has_room:
            await self._wait()
        chunk = self._take(count)
        self.passed_bytes += len(chunk.data)
        self.outlet.put(chunk if received_s is None else Chunk(chunk.data, received_s))

    def drop(self) -> None:
        """Lose the next chunk for good."""
        self._take(None)

    def now(self) -> float:
        """Loop time in seconds, the clock of `Chunk.received_s`."""
        return self._loop.time()

    async def sleep_until(self, when_s: float) -> None:
        """Wait until loop time `when_s`; return at once when that is past."""
        delay_s = when_s - self._loop.time()
        if delay_s > 0:
            await asyncio.sleep(delay_s)

    # For the link.

    @property
    def has_room(self) -> bool:
        """Whether what feeds this stub should go on."""
        return not self._inbox or self._held_bytes < self._budget.share(self.toxic.buffer_bytes)

    def put(self, item: Item) -> None:
        """Take an item in; after the toxic has ended the connection nobody waits for it."""
        if self._task.done():
            return
        self._inbox.append(item)
        self._hold(_cost(item))
        self.wake()

    def wake(self) -> None:
        """Something changed that the task may wait for: an arrival, or room in the outlet."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def replace(self, toxic: "Toxic") -> None:
        """Work on with another toxic, on what is still held too."""
        if self._task.done():
            return
        self._task.cancel()
        self.toxic = toxic
        self._task = self._loop.create_task(self._run())

    def ease(self, toxic: "Toxic") -> None:
        """Work on with another toxic from the next chunk on; the one under way stays with the old one."""
        self.toxic = toxic
        self._eased = True

    def stop(self) -> list[Item]:
        """Stop for ever and hand back what is still held, in order."""
        self._task.cancel()
        held = list(self._inbox)
        self._forget()
        return held

    # Below here: the task.

    async def _run(self) -> None:
        """Let the toxic work. One that returns before the end of the stream closes the connection."""
        ending: End | None = End.CLOSE
        try:
            ending = await self._pipe()
        except Exception as defect:  # any defect of a toxic must be seen, and leave no connection hanging
            self._loop.call_exception_handler({"message": f"{self.toxic} failed", "exception": defect})
        head = self._inbox[0] if self._inbox else None
        self._forget()
        self.outlet.put(ending or (head if isinstance(head, End) else End.CLOSE))

    async def _pipe(self) -> End | None:
        while True:
            self._eased = False
            try:
                return await self.toxic.pipe(self)
            except _EasedError:
                continue

    async def _until_not_empty(self) -> None:
        while not self._inbox:
            await self._wait()

    async def _wait(self) -> None:
        self._waiter = self._loop.create_future()
        await self._waiter

    def _take(self, count: int | None) -> Chunk:
        """Move the next chunk, or its first `count` bytes, out of the inbox."""
        head = self._inbox[0]
        if not isinstance(head, Chunk):
            raise RuntimeError("a toxic may forward or drop only what next() gave it")
        if count is not None and count < len(head.data):
            view = memoryview(head.data)
            self._inbox[0] = Chunk(view[count:], head.received_s)
            self._hold(-count)
            return Chunk(view[:count], head.received_s)
        self._inbox.popleft()
        self._hold(-_cost(head))
        self.inlet.wake()
        return head

    def _hold(self, more_bytes: int) -> None:
        self._held_bytes += more_bytes
        self._budget.held_bytes += more_bytes

    def _forget(self) -> None:
        self._inbox.clear()
        self._hold(-self._held_bytes)


class _EasedError(Exception):
    """Ends the work of a toxic that another has taken the place of."""


def _cost(item: Item) -> int:
    return len(item.data) + _CHUNK_COST_BYTES if isinstance(item, Chunk) else 0
