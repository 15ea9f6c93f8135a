"""The beginning of each answer is late, then it flows: a proxy that scans or buffers before it lets go."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_time, whole_ms
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFirstByte(LinkFault):
    """The first piece of each answer is held for `delay_s` seconds; what comes meanwhile follows it at once.

    The embedded Toxiproxy alone can do it.
    """

    kind: ClassVar[str] = "link_first_byte"
    meaning: ClassVar[str] = "each answer begins `delay_s` seconds late, then flows"
    neutral: ClassVar[Mapping[str, float]] = {"delay_s": 0.0}

    delay_s: float = 5.0

    def __post_init__(self) -> None:
        check_time("link_first_byte: delay_s", self.delay_s)

    def effect(self) -> Effect:
        return Effect("delay", self.delay_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        return (Toxic("first_byte", "to_caller", {"delay": whole_ms(self.delay_s)}),)
