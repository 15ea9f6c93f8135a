"""Answers arrive in crumbs: tiny packets, each with a pause behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_time, whole_us
from faults.magnitude import check
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSlicer(LinkFault):
    """Answers are cut into slices of about `slice_bytes`, at least 2, with `gap_s` after each.

    What is longer is cut in two again and again, so a slice has half of `slice_bytes` to all of it.
    """

    kind: ClassVar[str] = "link_slicer"
    meaning: ClassVar[str] = (
        "answers arrive in slices of about `slice_bytes` bytes with `gap_s` seconds after each"
    )
    neutral: ClassVar[Mapping[str, float]] = {"gap_s": 0.0}

    slice_bytes: int = 100
    gap_s: float = 0.05

    def __post_init__(self) -> None:
        check("link_slicer: slice_bytes", self.slice_bytes, 2)
        check_time("link_slicer: gap_s", self.gap_s)

    def effect(self) -> Effect:
        return Effect("gap", self.gap_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        size, delay_us = round(self.slice_bytes), whole_us(self.gap_s)
        attributes = {"average_size": size, "size_variation": 0, "delay": delay_us}
        return (Toxic("slicer", "to_caller", attributes),)
