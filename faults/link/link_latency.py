"""Answers come later: the network between gateway and worker is slow, the worker itself is not.

The worker's batch slot is free again while its answer is still under way, which is why a delay proxy does
not stand in for a slow GPU.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect
from faults.fault import LinkFault
from faults.link.units import check_share, check_time, whole_ms
from faults.site import Toxic


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLatency(LinkFault):
    """Each piece of an answer is held for `latency_s` seconds. Gaps between tokens stay as they were.

    `connections_ratio`: of connections, drawn for each; all requests on a connection share its lot.
    """

    kind: ClassVar[str] = "link_latency"
    meaning: ClassVar[str] = "answers reach the gateway `latency_s` seconds later; the worker is not slowed"
    neutral: ClassVar[Mapping[str, float]] = {"latency_s": 0.0}

    latency_s: float = 5.0
    connections_ratio: float = 1.0

    def __post_init__(self) -> None:
        check_time("link_latency: latency_s", self.latency_s)
        check_share(self.kind, self.connections_ratio)

    def effect(self) -> Effect:
        if self.connections_ratio < 1:
            return Effect("mean delay", self.connections_ratio * self.latency_s, "s")
        return Effect("delay", self.latency_s, "s")

    def toxics(self) -> tuple[Toxic, ...]:
        attributes = {"latency": whole_ms(self.latency_s), "jitter": 0}
        return (Toxic("latency", "to_caller", attributes, self.connections_ratio),)
