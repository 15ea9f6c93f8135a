"""Which toxics of a proxy work on one connection, and at what place in its chains."""

import random
from collections.abc import Mapping, Sequence
from itertools import takewhile

from faults.toxiproxy.chunk import End
from faults.toxiproxy.direction import Direction
from faults.toxiproxy.link import Link
from faults.toxiproxy.mode import Mode
from faults.toxiproxy.placement import Placement


class Applied:
    """Keeps the links of a connection as the proxy's list of `placements` says, which changes in place.

    With strict_compat toxicity is drawn again as the original draws it: whenever a toxic is updated, or the
    toxic next behind it comes or goes. Otherwise a connection keeps its lot while the toxicity stays.
    """

    def __init__(
        self, connection: str, placements: Sequence[Placement], links: Mapping[Direction, Link], mode: Mode
    ) -> None:
        self._connection = connection
        self._placements = placements
        self._links = links
        self._strict = mode.strict_compat
        self._draws = random.Random(f"{connection}/draws")
        for placement in placements:
            self.settle(placement)

    def add(self, placement: Placement) -> None:
        """A toxic was put into the list."""
        self.settle(placement)
        if self._strict:
            self._draw_again_before(placement)

    def settle(self, placement: Placement) -> None:
        """Let the toxic work with its present attributes if its toxicity wants it here, and rest if not."""
        link = self._links[placement.direction]
        there = placement.name in link.names()
        if not self._is_wanted(placement):
            if there:
                link.spare(placement.name, may_close=not self._strict)
        elif there:
            link.replace(placement.name, placement.toxic)
        else:
            chance = placement.chance(self._connection)
            link.insert(self._place(placement, link), placement.name, placement.toxic, chance)

    def ease(self, placement: Placement) -> None:
        """Let the toxic, if it works here, go on with its present attributes from its next chunk on."""
        self._links[placement.direction].ease(placement.name, placement.toxic)

    def remove(self, placement: Placement) -> None:
        """A toxic is about to be taken off the list."""
        link = self._links[placement.direction]
        spared = placement.name not in link.names()
        link.remove(placement.name)
        if self._strict:
            self._draw_again_before(placement)
            if spared and placement.toxic.closes_on_removal:  # also where it did nothing
                link.put(End.CLOSE)

    # Below here: helpers.

    def _is_wanted(self, placement: Placement) -> bool:
        if self._strict:
            return self._draws.random() < placement.toxicity
        return placement.applies(self._connection)

    def _place(self, placement: Placement, link: Link) -> int:
        """Behind those that come before it in the list and work there too."""
        earlier = {each.name for each in self._before(placement)}
        return sum(name in earlier for name in link.names())

    def _draw_again_before(self, placement: Placement) -> None:
        for last in self._before(placement)[-1:]:
            self.settle(last)

    def _before(self, placement: Placement) -> list[Placement]:
        """Those that come before it, the same way."""
        earlier = takewhile(lambda each: each.name != placement.name, self._placements)
        return [each for each in earlier if each.direction is placement.direction]
