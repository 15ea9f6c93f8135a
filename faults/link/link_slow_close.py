"""The end of a connection is late: sockets stay open that nobody needs any more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_time, whole_ms
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSlowClose(LinkFault):
    """The caller hears `delay_s` seconds late that its connection has ended.

    An answer is complete before, so that no caller waits for it unless it counts on the end.
    """

    kind: ClassVar[str] = "link_slow_close"
    meaning: ClassVar[str] = "the end of a connection is heard `delay_s` seconds late"
    neutral: ClassVar[Mapping[str, float]] = {"delay_s": 0.0}

    delay_s: float = 2.0

    def __post_init__(self) -> None:
        check_time("link_slow_close: delay_s", self.delay_s)

    def effect(self) -> Effect:
        return Effect("close delay", self.delay_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        return (Toxic("slow_close", "to_caller", {"delay": whole_ms(self.delay_s)}),)
