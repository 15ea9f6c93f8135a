"""Answers are lost and nothing says so: the caller waits for as long as it is willing to."""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_share
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkBlackHole(LinkFault):
    """What the worker says is swallowed, and the connection stays open."""

    kind: ClassVar[str] = "link_black_hole"
    meaning: ClassVar[str] = "answers are swallowed and the connection is never closed"

    connections_ratio: float = 1.0

    def __post_init__(self) -> None:
        check_share(self.kind, self.connections_ratio)

    def effect(self) -> Effect:
        return Effect("silent share", self.connections_ratio, "")

    def toxics(self) -> tuple[Toxic, ...]:
        return (Toxic("timeout", "to_caller", {"timeout": 0}, self.connections_ratio),)
