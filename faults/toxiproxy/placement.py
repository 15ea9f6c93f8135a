"""A toxic on a proxy: which toxic, under what name, which way, and on what share of the connections."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from faults.toxiproxy.direction import Direction
from faults.toxiproxy.toxics.toxic import Toxic


@dataclass(frozen=True, slots=True)
class Placement:
    """One entry of a proxy's list of toxics."""

    name: str
    stream: str  # Toxiproxy's word, spelled as it came
    toxic: Toxic
    toxicity: float = 1.0  # the share of connections that it works on
    typed: Mapping[str, int] = field(default_factory=dict)  # attributes that show otherwise than they work

    @property
    def direction(self) -> Direction:
        return Direction.from_stream(self.stream)

    def same_place(self, other: "Placement") -> bool:
        """Whether an update makes the other out of this: only attributes and toxicity may differ."""
        return self.toxic.kind == other.toxic.kind and self.direction is other.direction

    def chance(self, connection: str) -> random.Random:
        """The generator of this toxic on the connection so named: not what decides whether it works there."""
        return random.Random(f"{connection}/{self.name}")

    def applies(self, connection: str) -> bool:
        """Whether the toxic works on this connection: always the same answer for the same toxicity.

        Raising the toxicity only adds connections, so an update never flips one without need.
        """
        return random.Random(f"{connection}/{self.name}/toxicity").random() < self.toxicity
