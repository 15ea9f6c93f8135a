"""The toxics on one proxy. All changes act at once, on open connections too."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from faults.toxiproxy.errors import Refused
from faults.toxiproxy.live import Live
from faults.toxiproxy.order import TimedToxic
from faults.toxiproxy.owned import belongs
from faults.toxiproxy.placement import Placement
from faults.toxiproxy.toxics.toxic import Toxic
from faults.toxiproxy.upkeep import Upkeep


class ProxyToxics:
    """In the order in which they were added. `connections` are the proxy's own, which come and go."""

    def __init__(self, connections: Iterable[Live]) -> None:
        self.placements: list[Placement] = []
        self.upkeep = Upkeep(self.remove, self._ease)
        self._connections = connections

    def __iter__(self) -> Iterator[Placement]:
        return iter(list(self.placements))

    def names(self) -> set[str]:
        return {each.name for each in self.placements}

    def get(self, name: str) -> Placement:
        """Refused 404 if there is none."""
        for placement in self.placements:
            if placement.name == name:
                return placement
        raise Refused(404, "toxic not found")

    def add(self, placement: Placement) -> None:
        """Refused 409 if the name is taken."""
        if placement.name in self.names():
            raise Refused(409, "toxic already exists")
        self.placements.append(placement)
        for connection in list(self._connections):
            connection.add(placement)

    def update(self, new: Placement) -> None:
        """Other attributes or toxicity for the toxic of that name. Refused 404 if there is none."""
        self.upkeep.stay(new.name)
        self._exchange(new, at_once=True)

    def remove(self, name: str) -> None:
        """Refused 404 if there is none of that name."""
        placement = self.get(name)
        self.upkeep.forget(name)
        for connection in list(self._connections):
            connection.remove(placement)
        self.placements.remove(placement)

    # Beyond the original.

    def put(self, order: TimedToxic) -> None:
        """Add a toxic, or change the one of that name in place. The same again only renews its time."""
        new = order.placement
        if new.name not in self.names():
            self.add(new)
        elif not self.get(new.name).same_place(new):
            self.remove(new.name)
            self.add(new)
        elif not self._is_as(order):
            self.update(new)
        if order.ramp is not None and order.ramp != self.upkeep.ramp_of(new.name):
            self.upkeep.ramp(new.name, order.ramp)
        self.upkeep.limit(new.name, order.time_limit_s)

    def set_owned(self, owner: str, orders: Sequence[TimedToxic]) -> None:
        """Have exactly these toxics of `owner`, all named after them; those of strangers stay."""
        wanted = {order.placement.name for order in orders}
        for placement in self:
            if belongs(placement.name, owner) and placement.name not in wanted:
                self.remove(placement.name)
        for order in orders:
            self.put(order)

    # Below here: helpers.

    def _is_as(self, order: TimedToxic) -> bool:
        """Whether a toxic is there just as it is ordered, if perhaps further up its ramp."""
        wanted = order.placement
        there = self.get(wanted.name)
        same_ramp = self.upkeep.ramp_of(wanted.name) == order.ramp
        same_toxic = order.ramp is not None or there.toxic == wanted.toxic
        return there.toxicity == wanted.toxicity and same_ramp and same_toxic

    def _ease(self, name: str, toxic: Toxic) -> None:
        """A step of a ramp."""
        old = self.get(name)
        self._exchange(replace(old, toxic=toxic), at_once=_opens(old.toxic, toxic))

    def _exchange(self, new: Placement, at_once: bool) -> None:
        """`at_once` acts on what is under way too, which must not come so often that nothing gets on."""
        old = self.get(new.name)
        self.placements[self.placements.index(old)] = new
        for connection in list(self._connections):
            if at_once:
                connection.update(new)
            else:
                connection.ease(new)


def _opens(old: Toxic, new: Toxic) -> bool:
    """Whether a number leaves 0, which may mean for ever, as in a bandwidth."""
    now = new.attributes()
    return any(value == 0 != now[name] for name, value in old.attributes().items())
