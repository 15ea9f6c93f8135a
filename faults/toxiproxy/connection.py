"""One accepted connection, the one dialled to the worker for it, and the two links between them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from faults.toxiproxy.applied import Applied
from faults.toxiproxy.budget import Budget
from faults.toxiproxy.chunk import End
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.link import Link
from faults.toxiproxy.live import Live
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.reception import AT_ONCE, Reception
from faults.toxiproxy.side import Side

DIAL_LIMIT_S = 5.0  # the original waits for ever, and so do all callers behind the one it waits for

Dial = Callable[[Callable[[], asyncio.BaseProtocol]], Awaitable[object]]


class Connection(Live):
    """Lives from accept until both sockets are closed.

    `name` seeds its chances; `buffer` is read into, and may be shared; `gone` hears of its end.
    """

    def __init__(
        self,
        name: str,
        placements: Sequence[Placement],
        dial: Dial,
        buffer: bytearray,
        gone: Callable[["Connection"], None],
        budget: Budget,
        mode: Mode = SANE,
        reception: Reception = AT_ONCE,
    ) -> None:
        super().__init__()
        self._name = name
        self._placements = placements  # the proxy's own list, which changes in place
        self._dial = dial
        self._gone = gone
        self._budget = budget
        self._mode = mode
        self._reception = reception
        self._dialling: asyncio.Task[None] | None = None
        self._ended = False
        self.links: dict[Direction, Link] = {}  # once the worker is reached
        self.began_s = asyncio.get_running_loop().time()  # when the caller was accepted
        self.caller = Side(self, buffer)
        self.worker = Side(self, buffer)

    def abort(self) -> None:
        """Close both sides at once; what is held is dropped."""
        self._end()
        self.caller.abort()
        self.worker.abort()

    # What the sides tell us.

    def side_ready(self, side: Side) -> None:
        if self._ended:  # the proxy was disabled between accept and here
            side.abort()
        elif side is self.caller:
            self._dialling = asyncio.get_running_loop().create_task(self._reach_worker())
        else:
            self._start()

    def side_lost(self, side: Side) -> None:
        if not self.links or all(link.done for link in self.links.values()):
            self._close()
        if self.caller.transport is None and self.worker.transport is None:
            self._end()
            self._gone(self)

    # Below here: helpers.

    async def _reach_worker(self) -> None:
        """Dial. A worker that cannot be reached shows to the caller as a connection that ends at once."""
        await asyncio.sleep(self._reception.accept_delay_ms / 1000)
        try:
            async with asyncio.timeout(DIAL_LIMIT_S):
                await self._dial(lambda: self.worker)
        except (OSError, ValueError):  # refused, too late, no such host; or an address that is none
            if self._reception.refuse_when_down:
                self._reset()
            else:
                self._close()

    def _start(self) -> None:
        """Both sides stand."""
        caller, worker = self.caller.transport, self.worker.transport
        if caller is None or worker is None:  # the caller has gone meanwhile
            self.abort()
            return
        to_worker = Link(caller, worker, self._finished, self._budget)
        to_caller = Link(worker, caller, self._finished, self._budget)
        to_worker.back, to_caller.back = to_caller, to_worker
        self.links = {Direction.TO_WORKER: to_worker, Direction.TO_CALLER: to_caller}
        self.applied = Applied(self._name, self._placements, self.links, self._mode)
        if self._mode.strict_compat and any(each.toxic.resets for each in self._placements):
            self._reset_at_close()
        self.caller.couple(to_worker, to_caller)
        self.worker.couple(to_caller, to_worker)

    def _finished(self, link: Link, how: End) -> None:
        """An ending has arrived at the far side of a link."""
        if how is End.RESET and not self._mode.strict_compat:
            self._reset()
        elif how is not End.EOF or all(each.done for each in self.links.values()):
            self._close()
        elif self._mode.strict_compat:
            self._writer(link).close()  # what the other way still holds is sent first: see side_lost
        else:
            self._writer(link).write_eof()

    def _writer(self, link: Link) -> Side:
        """The side that the link writes to."""
        return self.worker if link is self.links[Direction.TO_WORKER] else self.caller

    def _reset_at_close(self) -> None:
        """Let every close be a reset, as in the original where a connection began under a reset_peer."""
        self.caller.linger_not()
        self.worker.linger_not()

    def _close(self) -> None:
        """Close both sides, each after what was written to it is sent."""
        self._end()
        self.caller.close()
        self.worker.close()

    def _reset(self) -> None:
        """Break both sides, so that each peer sees a reset."""
        self._end()
        self.caller.reset()
        self.worker.reset()

    def _end(self) -> None:
        self._ended = True
        if self._dialling is not None and self._dialling is not asyncio.current_task():
            self._dialling.cancel()
        for link in self.links.values():
            link.discard()
