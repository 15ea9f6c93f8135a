"""Connections are cut in the middle of an answer, after so many bytes, as by a quota."""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.magnitude import check
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLimit(LinkFault):
    """Each connection carries `bytes` bytes towards the caller, at least 1, and is then closed.

    Headers count, and requests on a connection that is kept open share what it may carry.
    """

    kind: ClassVar[str] = "link_limit"
    meaning: ClassVar[str] = "each connection is closed after `bytes` bytes towards the caller"

    bytes: int = 2000

    def __post_init__(self) -> None:
        check("link_limit: bytes", self.bytes, 1)

    def effect(self) -> Effect:
        return Effect("bytes to the cut", self.bytes, "B")

    def toxics(self) -> tuple[Toxic, ...]:
        return (Toxic("limit_data", "to_caller", {"bytes": round(self.bytes)}),)
