"""Answers are lost, and after a silence the connection is closed: a middlebox that forgot its connections."""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_share, check_time, whole_ms
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkStall(LinkFault):
    """What the worker says is swallowed; `after_s` seconds after the last of it the connection closes."""

    kind: ClassVar[str] = "link_stall"
    meaning: ClassVar[str] = "answers are swallowed; the connection closes after `after_s` seconds of silence"

    after_s: float = 5.0
    connections_ratio: float = 1.0

    def __post_init__(self) -> None:
        check_time("link_stall: after_s", self.after_s, above=True)
        check_share(self.kind, self.connections_ratio)

    def effect(self) -> Effect:
        return Effect("time to the cut", self.after_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        attributes = {"timeout": max(1, whole_ms(self.after_s))}  # 0 would mean never
        return (Toxic("timeout", "to_caller", attributes, self.connections_ratio),)
