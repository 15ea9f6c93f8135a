"""One direction of one connection: bytes read on one side leave on the other, through a chain of toxics."""

import asyncio
import random
from collections.abc import Callable
from typing import Protocol

from faults.toxiproxy.budget import Budget
from faults.toxiproxy.chunk import Chunk, End, Inlet, Item, Outlet
from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics.toxic import Toxic


class Source(Protocol):
    """What a link reads from: an asyncio transport, or its like in memory."""

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


class Sink(Protocol):
    """What a link writes to."""

    def write(self, data: bytes | memoryview) -> None: ...


class Link:
    """The chain between what one transport reads and what another writes. Without toxics it is one call.

    The owner feeds it (`feed`, `end`), tells it when the writing side is full (`pause`, `resume`), and hears
    through `finished` when the ending has arrived: EOF this way only, or CLOSE for the whole connection.
    """

    def __init__(
        self,
        source: Source,
        sink: Sink,
        finished: Callable[["Link", End], None],
        budget: Budget,
    ) -> None:
        self._source = source
        self._sink = sink
        self._finished = finished
        self._budget = budget
        self._chain: list[Stub] = []
        self._loop = asyncio.get_running_loop()
        self._sink_full = False
        self._ended = False  # the source has given its ending
        self.done = False  # the ending has arrived, or nothing can arrive any more
        self.began_s = self._loop.time()
        self.read_bytes = 0
        self.written_bytes = 0
        self.back: Link | None = None  # the other direction, where there is one
        self._spared: dict[str, int] = {}  # what toxics had let through, in bytes, before they were spared

    # What the two sides tell us.

    def feed(self, data: bytes) -> None:
        """Bytes were read."""
        if self.done:
            return
        self.read_bytes += len(data)
        if not self._chain:
            self.written_bytes += len(data)
            self._sink.write(data)
            return
        first = self._chain[0]
        first.put(Chunk(data, self._loop.time()))
        if not first.has_room:
            self._source.pause_reading()

    def end(self, how: End) -> None:
        """Nothing more will be read. Counts once."""
        if not self._ended:
            self._ended = True
            self._head().put(how)

    def pause(self) -> None:
        """The writing side has enough for now."""
        self._sink_full = True
        if not self._chain:
            self._source.pause_reading()

    def resume(self) -> None:
        """The writing side has room again."""
        self._sink_full = False
        self._tail().wake()

    def discard(self) -> None:
        """Nothing can be written any more: forget what is held."""
        self.done = True
        for stub in self._chain:
            stub.stop()
        self._chain.clear()

    # Toxics, at once and on whatever is under way.

    def insert(self, index: int, name: str, toxic: Toxic, rng: random.Random) -> None:
        """Let a toxic work at place `index` of the chain."""
        if self.done:
            return
        stub = Stub(name, toxic, rng, self, self, self, self._budget)
        stub.passed_bytes = self._spared.pop(name, 0)
        self._chain.insert(index, stub)
        self._rewire()

    def replace(self, name: str, toxic: Toxic) -> None:
        """Change the attributes of a toxic; what it still holds follows the new ones."""
        for stub in self._chain:
            if stub.name == name:
                stub.replace(toxic)

    def ease(self, name: str, toxic: Toxic) -> None:
        """The same from the next chunk on, so that changes that follow fast hold up nothing."""
        for stub in self._chain:
            if stub.name == name:
                stub.ease(toxic)

    def remove(self, name: str) -> None:
        """Take a toxic out. What it held goes on at once; if it swallowed data, the connection closes."""
        self._take_out(name, may_close=True)
        self._spared.pop(name, None)

    def spare(self, name: str, *, may_close: bool) -> None:
        """The same for a toxic that may come back, and then knows what it has let through.

        `may_close`: close where bytes are missing.
        """
        self._take_out(name, may_close=may_close)

    def names(self) -> list[str]:
        """The toxics in the chain, in order."""
        return [stub.name for stub in self._chain]

    @property
    def heard_bytes(self) -> int:
        """Bytes read so far that go the other way."""
        return self.back.read_bytes if self.back is not None else 0

    # The link as the two ends of its own chain: what feeds the first stub and what the last one feeds.

    def wake(self) -> None:
        """Read on if whatever comes first has room."""
        if self._ended or self.done:
            return
        if self._head().has_room:
            self._source.resume_reading()
        else:
            self._source.pause_reading()

    @property
    def has_room(self) -> bool:
        return not self._sink_full

    def put(self, item: Item) -> None:
        if self.done:
            return
        if isinstance(item, Chunk):
            self.written_bytes += len(item.data)
            self._sink.write(item.data)
            return
        self.done = True
        self._finished(self, item)

    # Below here: helpers.

    def _head(self) -> Outlet:
        return self._chain[0] if self._chain else self

    def _tail(self) -> Inlet:
        return self._chain[-1] if self._chain else self

    def _rewire(self) -> None:
        """Tell every stub its neighbours; wake all, since each may have waited for one that is gone."""
        for left, right in zip([None, *self._chain], [*self._chain, None], strict=True):
            if left is not None:
                left.outlet = right or self
                left.wake()
            if right is not None:
                right.inlet = left or self
        self.wake()

    def _take_out(self, name: str, *, may_close: bool) -> None:
        for stub in self._chain:
            if stub.name == name:
                self._chain.remove(stub)
                self._spared[name] = stub.passed_bytes
                held = stub.stop()
                self._rewire()
                self._release(stub, held, may_close=may_close)
                return

    def _release(self, stub: Stub, held: list[Item], *, may_close: bool) -> None:
        outlet = stub.outlet
        for item in held:
            outlet.put(item)
        if stub.toxic.closes_on_removal and may_close:
            outlet.put(End.CLOSE)
