"""One direction of an in-memory connection: the toxics of the embedded Toxiproxy, without sockets.

A piece goes in whole and has arrived when its last byte has come through the chain, so that slicing, delay
and narrow lines act on it as on bytes. What a toxic does not read yet gathers, as in a socket, and is then
read in one go.
"""

from collections import deque
from collections.abc import Callable

from faults.toxiproxy.budget import Budget
from faults.toxiproxy.chunk import End
from faults.toxiproxy.link import Link
from faults.toxiproxy.side import READ_BYTES

Arrived = Callable[[], None]


class Wire:
    """Carries pieces in order. `finished` hears how the stream has ended, at the far side.

    `heard`, if there is one, is told of all bytes that come, whatever they are a piece of.
    """

    def __init__(self, finished: Callable[[End], None]) -> None:
        self.link = Link(self, self, lambda _, how: finished(how), Budget())
        self.heard: Callable[[int], None] | None = None
        self._sent = 0  # bytes
        self._received = 0
        self._unread = 0
        self._paused = False
        self._ending = False
        self._under_way: deque[tuple[int, Arrived]] = deque()

    def send(self, size: int, arrived: Arrived) -> None:
        """Send a piece of `size` bytes. `arrived` is called when it is there: at once, later, or never."""
        self._sent += size
        self._under_way.append((self._sent, arrived))
        self._unread += size
        self._read()

    def end(self) -> None:
        """Nothing more will be sent."""
        self._ending = True
        self._read()

    def close(self) -> None:
        """Whatever is under way is lost."""
        self.link.discard()

    # As both ends of the link.

    def write(self, data: bytes | memoryview) -> None:
        if self.heard is not None:
            self.heard(len(data))
        self._received += len(data)
        while self._under_way and self._under_way[0][0] <= self._received:
            self._under_way.popleft()[1]()

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._read()

    def _read(self) -> None:
        while self._unread and not self._paused:
            size = min(self._unread, READ_BYTES)
            self._unread -= size
            self.link.feed(bytes(size))
        if self._ending and not self._unread and not self._paused:
            self.link.end(End.EOF)
