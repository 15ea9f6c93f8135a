"""What the worker says of itself stands still: an exporter that hangs, a scrape cache that never expires.

Whoever chooses workers by their metrics goes on choosing by the load of a moment long past.
"""

from dataclasses import dataclass
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import WorkerFault


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenMetrics(WorkerFault):
    """Metrics, load and KV usage stay as they were when it began. Requests are served as ever."""

    kind: ClassVar[str] = "frozen_metrics"
    meaning: ClassVar[str] = "metrics and load stay as they were when it began; requests are served as ever"
    fidelity: ClassVar[Fidelity] = Fidelity.BEHAVIOUR
    freezes_reports: ClassVar[bool] = True

    def effect(self) -> Effect:
        return Effect("ageing of reports", 1.0, "s/s")
