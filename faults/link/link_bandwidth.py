"""The line is narrow: long answers take their time, and a short one hardly notices."""

from dataclasses import dataclass
from typing import ClassVar, Self

from faults.effect import Effect
from faults.fault import LinkFault
from faults.magnitude import MOST, check
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkBandwidth(LinkFault):
    """Answers flow at `rate_kb_per_s` on each connection, at least 1. A kB is 1000 bytes, as in Toxiproxy.

    At half its strength the line is twice as wide.
    """

    kind: ClassVar[str] = "link_bandwidth"
    meaning: ClassVar[str] = "answers flow at `rate_kb_per_s` (1000 bytes a second) on each connection"

    rate_kb_per_s: float = 2.0

    def __post_init__(self) -> None:
        check("link_bandwidth: rate_kb_per_s", self.rate_kb_per_s, 1)

    def effect(self) -> Effect:
        return Effect("rate", self.rate_kb_per_s, "kB/s", less=True)

    def at(self, level: float) -> Self | None:
        if level <= 0:
            return None
        return self if level >= 1 else self._with({"rate_kb_per_s": min(self.rate_kb_per_s / level, MOST)})

    def toxics(self) -> tuple[Toxic, ...]:
        return (Toxic("bandwidth", "to_caller", {"rate": round(self.rate_kb_per_s)}),)
