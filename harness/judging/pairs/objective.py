"""What a gate demands of one metric: a bound, absolute or against another arm, and its weight."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Literal, get_args

from harness.judging.metrics import METRICS, Metric

During = Literal["fault", "control", "before", "after"]
Bound = Literal["max", "min", "max_vs_control", "min_vs_control", "max_vs_baseline", "min_vs_baseline"]
Against = Literal["", "control", "baseline"]
Level = Literal["block", "warn", "info"]
OnMissing = Literal["inconclusive", "fail"]

BOUNDS: tuple[Bound, ...] = get_args(Bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """A bound on `metric` of `of` (a caller, hop or worker by name; empty: the run or the pair as a whole).

    Attributes:
        during: the window, of the run with the fault; `control`: the same as `fault`, of the control.
        bound: the metric may be `limit` and no more (`max`) or no less (`min`), in its own unit; or its
            ratio to the same figure of the control or of the baseline may.
        level: only a broken `block` fails the gate.
        on_missing: what a figure that could not be had means.
        line: in the file, 0 if it comes from none.
    """

    id: str
    metric: str
    of: str = ""
    during: During = "fault"
    bound: Bound
    limit: float
    level: Level = "block"
    on_missing: OnMissing = "inconclusive"
    line: int = 0

    def __post_init__(self) -> None:
        find_metric(self.metric)
        if not isfinite(self.limit) or self.limit < 0:
            raise ValueError(f"{self.bound}: {self.limit:g} is no limit. Write a number from 0 on")

    @property
    def upper(self) -> bool:
        return self.bound.startswith("max")

    @property
    def against(self) -> Against:
        """The arm that the figure is divided by; empty: none, the bound is absolute."""
        if self.bound.endswith("_vs_control"):
            return "control"
        return "baseline" if self.bound.endswith("_vs_baseline") else ""

    @property
    def blocks(self) -> bool:
        return self.level == "block"

    @property
    def measured(self) -> Metric:
        return find_metric(self.metric)

    @property
    def unit(self) -> str:
        """Of `limit`: the metric's own, or a factor."""
        return "factor" if self.against else self.measured.unit

    @property
    def words(self) -> str:
        """`ttft_s.p99_all of chat during fault`. A pair as a whole has no window."""
        of = f" of {self.of}" if self.of else ""
        return f"{self.metric}{of}" if self.measured.of == "pair" else f"{self.metric}{of} {self.when}"

    @property
    def when(self) -> str:
        return {
            "fault": "during fault",
            "control": "in the control",
            "before": "before fault",
            "after": "after fault",
        }[self.during]

    def holds(self, value: float) -> bool:
        """Whether a figure, or a ratio, is inside the limit; the limit itself is."""
        return value <= self.limit if self.upper else value >= self.limit


def find_metric(name: str) -> Metric:
    """The metric that `name`, with the percentile if it has them, belongs to. ValueError with the closest."""
    for metric in METRICS.values():
        if name in metric.names():
            return metric
    known = list(metric_names())
    if name in METRICS:
        family = [each for each in known if each.startswith(f"{name}.p99")]
        raise ValueError(f"{name} is known by its percentiles. Write {' or '.join(family)}")
    closest = get_close_matches(name.casefold(), known, n=2, cutoff=0.4)
    honest = sorted(closest, key=lambda each: each.endswith("_ok"))  # _all where nothing tells them apart
    hint = f"Closest: {honest[0]}. " if honest else ""
    raise ValueError(f"unknown metric {_shown(name)}. {hint}All: limplock list metrics")


def metric_names() -> Iterator[str]:
    """Every name that a value is stored under."""
    for metric in METRICS.values():
        yield from metric.names()


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
