"""One socket of a proxied connection."""

import asyncio
import socket
import struct
from typing import Protocol, cast

from faults.toxiproxy.chunk import End
from faults.toxiproxy.link import Link

READ_BYTES = 64 * 1024  # measured: as good as less for single tokens and as good as more for bulk
_NO_LINGER = struct.pack("ii", 1, 0)  # on, for 0 seconds


class Owner(Protocol):
    """Whom a side tells about its own beginning and end."""

    def side_ready(self, side: "Side") -> None: ...
    def side_lost(self, side: "Side") -> None: ...


class Side(asyncio.BufferedProtocol):
    """Feeds the link that it reads for, and holds back the link that it writes for.

    Reading is off until `couple`, so that nothing is read that has no way on.
    """

    def __init__(self, owner: Owner, buffer: bytearray) -> None:
        self._owner = owner
        self._buffer = buffer  # shared by all sides of one loop: between read and copy nobody else has a turn
        self._view = memoryview(buffer)
        self._reads: Link | None = None
        self._writes: Link | None = None
        self._early: list[bytes] = []  # read before `couple`
        self._early_end = False
        self.transport: asyncio.Transport | None = None  # while the socket is open

    def couple(self, reads: Link, writes: Link) -> None:
        """Both links stand: begin to read."""
        self._reads, self._writes = reads, writes
        for data in self._early:
            reads.feed(data)
        if self._early_end:
            reads.end(End.EOF)
        reads.wake()

    def abort(self) -> None:
        """Close at once, whatever is still unsent."""
        if self.transport is not None:
            self.transport.abort()

    def reset(self) -> None:
        """Break the connection at once: the peer sees a reset."""
        self.linger_not()
        self.abort()

    def linger_not(self) -> None:
        """Let every later close be a reset."""
        if self.transport is not None:
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER
            )

    def close(self) -> None:
        """Close after what was written is sent."""
        if self.transport is not None:
            self.transport.close()

    def write_eof(self) -> None:
        """No more data from us; the peer may go on sending."""
        if self.transport is not None:
            try:
                self.transport.write_eof()
            except OSError:  # the peer is gone already; connection_lost follows
                self.transport.abort()

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass
        self.transport.pause_reading()
        self._owner.side_ready(self)

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(self._view[:nbytes])
        if self._reads is not None:
            self._reads.feed(data)
        else:  # uvloop begins to read after connection_made, whatever that said
            self._early.append(data)
            if self.transport is not None:
                self.transport.pause_reading()

    def eof_received(self) -> bool:
        self._early_end = True
        if self._reads is not None:
            self._reads.end(End.EOF)
        return True  # keep the other way open: a half-closed connection still gets its answer

    def pause_writing(self) -> None:
        if self._writes is not None:
            self._writes.pause()

    def resume_writing(self) -> None:
        if self._writes is not None:
            self._writes.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        if self._writes is not None:
            self._writes.discard()
        if self._reads is not None:
            self._reads.end(End.CLOSE)  # behind what the peer sent before it went
        self._owner.side_lost(self)
