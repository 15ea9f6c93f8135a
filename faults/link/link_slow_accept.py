"""New connections are taken late, those that stand are as fast as ever: a full backlog, a busy acceptor."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_time, whole_ms
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSlowAccept(LinkFault):
    """A new connection carries nothing for its first `delay_s` seconds. Connections kept open are not slowed.

    The kernel connects at once, so that no connect timeout fires. The embedded Toxiproxy alone can do it.
    """

    kind: ClassVar[str] = "link_slow_accept"
    meaning: ClassVar[str] = "a new connection carries nothing for its first `delay_s` seconds"
    neutral: ClassVar[Mapping[str, float]] = {"delay_s": 0.0}

    delay_s: float = 5.0

    def __post_init__(self) -> None:
        check_time("link_slow_accept: delay_s", self.delay_s)

    def effect(self) -> Effect:
        return Effect("accept delay", self.delay_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        return (Toxic("slow_accept", "to_worker", {"delay": whole_ms(self.delay_s)}),)
