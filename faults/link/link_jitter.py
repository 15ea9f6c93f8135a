"""Answers come late by chance: a line that shares its way with others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_time, whole_ms
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkJitter(LinkFault):
    """Each piece of an answer is held for `jitter_s` seconds, give or take up to as much.

    Order is kept, so in an answer of many pieces the later ones wait for the slowest before them.
    """

    kind: ClassVar[str] = "link_jitter"
    meaning: ClassVar[str] = (
        "each piece of an answer is held for `jitter_s` seconds give or take as much, by chance"
    )
    neutral: ClassVar[Mapping[str, float]] = {"jitter_s": 0.0}

    jitter_s: float = 0.5

    def __post_init__(self) -> None:
        check_time("link_jitter: jitter_s", self.jitter_s)

    def effect(self) -> Effect:
        return Effect("jitter", self.jitter_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        held_ms = whole_ms(self.jitter_s)
        return (Toxic("latency", "to_caller", {"latency": held_ms, "jitter": held_ms}),)
