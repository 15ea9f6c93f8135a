"""Connections break while their answer is under way, as when a peer crashes."""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_share, check_time, whole_ms
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReset(LinkFault):
    """The connection is reset `after_s` seconds after the answer has begun; nothing of it passes before."""

    kind: ClassVar[str] = "link_reset"
    meaning: ClassVar[str] = (
        "connections are reset `after_s` seconds after the answer began, and nothing of it passes"
    )

    after_s: float = 0.0
    connections_ratio: float = 1.0

    def __post_init__(self) -> None:
        check_time("link_reset: after_s", self.after_s)
        check_share(self.kind, self.connections_ratio)

    def effect(self) -> Effect:
        if self.after_s > 0:
            return Effect("time to the reset", self.after_s, "s")
        return Effect("reset share", self.connections_ratio, "")

    def toxics(self) -> tuple[Toxic, ...]:
        attributes = {"timeout": whole_ms(self.after_s)}
        return (Toxic("reset_peer", "to_caller", attributes, self.connections_ratio),)
