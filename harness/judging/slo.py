"""A service-level objective: a bound on one metric. Broken is FAIL, too few samples is INCONCLUSIVE."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from harness.judging.metrics import METRICS
from harness.judging.result import SloResult, Trend


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """`metric` of `of` (a caller, a hop or a worker by name; empty: the whole run) in one window.

    Attributes:
        at_most: the metric may be this and no more, in its own unit; or
        at_least: this and no less. Exactly one of the two.
    """

    metric: str
    of: str = ""
    window: Literal["before", "during", "after"] = "during"
    at_most: float | None = None
    at_least: float | None = None

    def __post_init__(self) -> None:
        known = [key for metric in METRICS.values() for key in metric.names()]
        if self.metric not in known:
            closest = "".join(
                f" Closest: {name}." for name in get_close_matches(self.metric, known, n=1, cutoff=0)
            )
            raise ValueError(f"unknown metric {self.metric!r}.{closest} All: limplock list metrics")
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError(
                f"an SLO on {self.metric} needs either at_most or at_least, not both and not neither"
            )

    def check(self, metrics: Mapping[str, Mapping[str, Trend]]) -> SloResult:
        """`metrics` by caller, hop or worker. ValueError if `of` is none of them, or has no such metric."""
        if self.of not in metrics or self.metric not in metrics[self.of]:
            raise ValueError(f"{self.of or 'the run as a whole'} has no metric {self.metric}")
        value: float | None = getattr(metrics[self.of][self.metric], self.window)
        upper = self.at_most is not None
        limit = self.at_most if self.at_most is not None else self.at_least or 0.0
        ok = None if value is None else value <= limit if upper else value >= limit
        words = f"{self.metric}{f' of {self.of}' if self.of else ''} {self.window} the fault"
        return SloResult(
            words=f"{words}: {'at most' if upper else 'at least'} {limit:g}", limit=limit, value=value, ok=ok
        )
