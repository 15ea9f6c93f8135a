"""One direction of an in-memory connection: the toxics of the embedded Toxiproxy, without sockets.

A piece goes in whole and has arrived when its last byte has come through the chain, so that slicing, delay
and narrow lines act on it as on bytes.
"""

import random
from collections import deque
from collections.abc import Callable, Sequence

from faults.toxiproxy.chunk import End
from faults.toxiproxy.link import Link
from faults.toxiproxy.toxics.toxic import Toxic


class Wire:
    """Carries pieces in order. `broken` hears when a toxic ends the connection, and how: CLOSE or RESET."""

    def __init__(self, toxics: Sequence[Toxic], rng: random.Random, broken: Callable[[End], None]) -> None:
        self._broken = broken
        self._sent = 0  # bytes
        self._received = 0
        self._under_way: deque[tuple[int, Callable[[], None]]] = deque()
        self._rng = rng
        self._link = Link(self, self, self._finished)
        self.lay(toxics)

    def lay(self, toxics: Sequence[Toxic]) -> None:
        """Let all of `toxics` work, in this order. Those that work already go on, with what they hold."""
        there = len(self._link.names())
        for place, toxic in enumerate(toxics):
            name = f"{place}.{toxic.kind}"
            if place < there:
                self._link.replace(name, toxic)
            else:
                self._link.insert(place, name, toxic, self._rng)

    def send(self, size: int, arrived: Callable[[], None]) -> None:
        """Send a piece of `size` bytes. `arrived` is called when it is there: at once, later, or never."""
        self._sent += size
        self._under_way.append((self._sent, arrived))
        self._link.feed(bytes(size))

    def close(self) -> None:
        """Whatever is under way is lost."""
        self._link.discard()

    # As both ends of the link.

    def write(self, data: bytes) -> None:
        self._received += len(data)
        while self._under_way and self._under_way[0][0] <= self._received:
            self._under_way.popleft()[1]()

    def pause_reading(self) -> None:
        """Memory takes what comes."""

    def resume_reading(self) -> None:
        """See `pause_reading`."""

    def _finished(self, _link: Link, how: End) -> None:
        self._broken(how)
