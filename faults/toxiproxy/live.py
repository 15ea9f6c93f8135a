"""A connection that is open, through sockets or in memory, as the toxics of its proxy come and go."""

from faults.toxiproxy.applied import Applied
from faults.toxiproxy.placement import Placement


class Live:
    """Its toxics work once `applied` is there; they are taken from the proxy's list then."""

    __slots__ = ("applied",)

    def __init__(self) -> None:
        self.applied: Applied | None = None

    def add(self, placement: Placement) -> None:
        """A toxic was put into the proxy's list."""
        if self.applied is not None:
            self.applied.add(placement)

    def update(self, placement: Placement) -> None:
        """A toxic has other attributes, or another toxicity and so perhaps other connections."""
        if self.applied is not None:
            self.applied.settle(placement)

    def ease(self, placement: Placement) -> None:
        """A toxic has other attributes from its next chunk on."""
        if self.applied is not None:
            self.applied.ease(placement)

    def remove(self, placement: Placement) -> None:
        """A toxic is about to be taken off the proxy's list."""
        if self.applied is not None:
            self.applied.remove(placement)
