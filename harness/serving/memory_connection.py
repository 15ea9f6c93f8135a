"""One connection of an in-memory link: kept open from one request to the next, as HTTP clients do.

Toxics work on it as on a connection through the embedded Toxiproxy: the same code decides which apply, and
carries the bytes. Its wires are laid when there are toxics, at the start or later; until then nothing on it
is turned into bytes.
"""

from collections.abc import Callable, Sequence

from faults.toxiproxy.applied import Applied
from faults.toxiproxy.chunk import End
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.live import Live
from faults.toxiproxy.mode import SANE
from faults.toxiproxy.placement import Placement
from harness.serving.wire import Wire


class MemoryConnection(Live):
    """`name` seeds its chances. `on_lost` hears once that it has ended and how, EOF for in good order."""

    __slots__ = ("_lost", "_name", "_placements", "back", "idle_since_s", "on_lost", "there")

    def __init__(self, name: str, placements: Sequence[Placement]) -> None:
        super().__init__()
        self._name = name
        self._placements = placements  # the link's own list, which changes in place
        self._lost = False
        self.there: Wire | None = None
        self.back: Wire | None = None
        self.idle_since_s = 0.0
        self.on_lost: Callable[[End], None] | None = None
        if placements:
            self.lay()

    def lay(self) -> tuple[Wire, Wire]:
        """The wires there and back, under whatever toxics there are."""
        if self.there is None or self.back is None:
            self.there, self.back = Wire(self._over_there), Wire(self._over_here)
            to_worker, to_caller = self.there.link, self.back.link
            to_worker.back, to_caller.back = to_caller, to_worker
            links = {Direction.TO_WORKER: to_worker, Direction.TO_CALLER: to_caller}
            self.applied = Applied(self._name, self._placements, links, SANE)
        return self.there, self.back

    def break_off(self, how: End) -> None:
        """End it. Counts once."""
        if not self._lost:
            self._lost = True
            self.close()
            if self.on_lost is not None:
                self.on_lost(how)

    def close(self) -> None:
        """Whatever is under way on it is lost, and nobody is told."""
        self._lost = True
        for wire in (self.there, self.back):
            if wire is not None:
                wire.close()

    @property
    def is_open(self) -> bool:
        return not self._lost

    def add(self, placement: Placement) -> None:
        if self.applied is None:
            self.lay()  # which finds it in the list
        else:
            super().add(placement)

    # What the wires tell us.

    def _over_there(self, how: End) -> None:
        """The worker hears an ending; at an orderly one it closes its side too."""
        if how is End.EOF and self.back is not None:
            self.back.end()
        else:
            self.break_off(how)

    def _over_here(self, how: End) -> None:
        self.break_off(how)
