"""One accepted connection, the one dialled to the worker for it, and the two links between them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import takewhile

from faults.toxiproxy.chunk import End
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.link import Link
from faults.toxiproxy.mode import SANE, Mode
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.side import Side

DIAL_LIMIT_S = 5.0  # the original waits for ever, and so do all callers behind the one it waits for

Dial = Callable[[Callable[[], asyncio.BaseProtocol]], Awaitable[object]]


class Connection:
    """Lives from accept until both sockets are closed. `name` seeds its chances; `gone` hears of its end."""

    def __init__(
        self,
        name: str,
        placements: Sequence[Placement],
        dial: Dial,
        gone: Callable[["Connection"], None],
        mode: Mode = SANE,
    ) -> None:
        self._name = name
        self._placements = placements  # the proxy's own list, which changes in place
        self._dial = dial
        self._gone = gone
        self._mode = mode
        self._dialling: asyncio.Task[None] | None = None
        self._ended = False
        self._links: dict[Direction, Link] = {}
        self.caller = Side(self)
        self._worker = Side(self)

    # Toxics on a live connection.

    def add(self, placement: Placement) -> None:
        """A toxic was put into the proxy's list."""
        self._insert(placement)

    def update(self, old: Placement, new: Placement) -> None:
        """A toxic has other attributes, or another toxicity and so perhaps other connections."""
        was, is_now = old.applies(self._name), new.applies(self._name)
        if was and is_now:
            self._on_link(new, lambda link: link.replace(new.name, new.toxic))
        elif was:
            self.remove(old)
        elif is_now:
            self._insert(new)

    def remove(self, placement: Placement) -> None:
        """A toxic was taken off."""
        self._on_link(placement, lambda link: link.remove(placement.name))

    def abort(self) -> None:
        """Close both sides at once; what is held is dropped."""
        self._end()
        self.caller.abort()
        self._worker.abort()

    # What the sides tell us.

    def side_ready(self, side: Side) -> None:
        if self._ended:  # the proxy was disabled between accept and here
            side.abort()
        elif side is self.caller:
            self._dialling = asyncio.get_running_loop().create_task(self._reach_worker())
        else:
            self._start()

    def side_lost(self, side: Side) -> None:
        if not self._links or all(link.done for link in self._links.values()):
            self._close()
        if self.caller.transport is None and self._worker.transport is None:
            self._end()
            self._gone(self)

    # Below here: helpers.

    async def _reach_worker(self) -> None:
        """Dial. A worker that cannot be reached shows to the caller as a connection closed at once."""
        try:
            async with asyncio.timeout(DIAL_LIMIT_S):
                await self._dial(lambda: self._worker)
        except (OSError, ValueError):  # refused, too late, no such host; or an address that is none
            self._close()

    def _start(self) -> None:
        """Both sides stand."""
        caller, worker = self.caller.transport, self._worker.transport
        if caller is None or worker is None:  # the caller has gone meanwhile
            self.abort()
            return
        to_worker = Link(caller, worker, self._finished)
        to_caller = Link(worker, caller, self._finished)
        self._links = {Direction.TO_WORKER: to_worker, Direction.TO_CALLER: to_caller}
        for placement in self._placements:
            self._insert(placement)
        self.caller.couple(to_worker, to_caller)
        self._worker.couple(to_caller, to_worker)

    def _insert(self, placement: Placement) -> None:
        """Put a toxic into its link, behind those that come before it in the list and work there too."""
        if not placement.applies(self._name):
            return
        earlier = {
            each.name for each in takewhile(lambda each: each.name != placement.name, self._placements)
        }
        self._on_link(
            placement,
            lambda link: link.insert(
                sum(name in earlier for name in link.names()),
                placement.name,
                placement.toxic,
                placement.chance(self._name),
            ),
        )

    def _on_link(self, placement: Placement, change: Callable[[Link], None]) -> None:
        link = self._links.get(placement.direction)
        if link is not None:
            change(link)

    def _finished(self, link: Link, how: End) -> None:
        """An ending has arrived at the far side of a link."""
        if how is End.RESET:
            self._end()
            self.caller.reset()
            self._worker.reset()
            return
        if how is End.CLOSE or all(each.done for each in self._links.values()):
            self._close()
            return
        to_worker = link is self._links[Direction.TO_WORKER]
        (self._worker if to_worker else self.caller).write_eof()

    def _close(self) -> None:
        """Close both sides, each after what was written to it is sent."""
        self._end()
        self.caller.close()
        self._worker.close()

    def _end(self) -> None:
        self._ended = True
        if self._dialling is not None and self._dialling is not asyncio.current_task():
            self._dialling.cancel()
        for link in self._links.values():
            link.discard()
