"""A toxic on a proxy: which toxic, under what name, which way, and on what share of the connections."""

import random
from dataclasses import dataclass

from faults.toxiproxy.direction import Direction
from faults.toxiproxy.toxics.toxic import Toxic


@dataclass(frozen=True, slots=True)
class Placement:
    """One entry of a proxy's list of toxics."""

    name: str
    stream: str  # Toxiproxy's word, spelled as it came
    toxic: Toxic
    toxicity: float = 1.0  # the share of connections that it works on

    @property
    def direction(self) -> Direction:
        return Direction.from_stream(self.stream)

    def chance(self, connection: str) -> random.Random:
        """The generator of this toxic on the connection so named. Its first number decides about toxicity."""
        return random.Random(f"{connection}/{self.name}")

    def applies(self, connection: str) -> bool:
        """Whether the toxic works on this connection: always the same answer for the same toxicity.

        Raising the toxicity only adds connections, so an update never flips one without need.
        """
        return self.chance(connection).random() < self.toxicity
