"""Answers come in bursts: whatever has gathered, then a pause, as behind a proxy that buffers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import WHOLE_BYTES, check_time, whole_us
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkGap(LinkFault):
    """After each chunk of an answer nothing comes for `gap_s` seconds; what gathers then is the next."""

    kind: ClassVar[str] = "link_gap"
    meaning: ClassVar[str] = "answers come in bursts with `gap_s` seconds between them"
    neutral: ClassVar[Mapping[str, float]] = {"gap_s": 0.0}

    gap_s: float = 1.0

    def __post_init__(self) -> None:
        check_time("link_gap: gap_s", self.gap_s)

    def effect(self) -> Effect:
        return Effect("gap", self.gap_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        attributes = {"average_size": WHOLE_BYTES, "size_variation": 0, "delay": whole_us(self.gap_s)}
        return (Toxic("slicer", "to_caller", attributes),)
