"""Figures of a run that is still running, over its last seconds: what its guards look at.

A request counts when it has ended, a visit when it was left, a sample when it was taken. What is under way
counts in `in_flight`, so a system that answers nobody any more is seen there, and in who waits.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from harness.judging.callers import Figures, figures
from harness.judging.cohort import Cohort
from harness.judging.history import AnyRecord, Arrived, Attempted, Ended, Gauge, Setup, Visit
from harness.judging.metrics import METRICS
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import quantiles
from harness.judging.pressure import slope
from harness.judging.requests import Request
from harness.judging.windows import Window

UNKNOWN = ("offered", "goodput_rps", "goodput_ratio", "good_tokens_per_s")  # known when a run is over
_HELD = ("in_use", "in_flight", "running")  # what services, the gateway and workers call it


class Live:
    """Hears of each record once, in their order, and forgets what is older than `for_s`."""

    def __init__(self, for_s: float) -> None:
        self._for_s = for_s
        self._setup: Setup | None = None
        self._open: dict[str, Arrived] = {}
        self._recent: deque[Request | Visit | Attempted | Gauge] = deque()

    def take(self, records: Iterable[AnyRecord]) -> None:
        for record in records:
            match record:
                case Setup():
                    self._setup = record
                case Arrived():
                    self._open[record.request] = record
                case Ended() if record.request in self._open:
                    self._recent.append(Request(self._open.pop(record.request), record, ()))
                case Visit() | Attempted() | Gauge():
                    self._recent.append(record)

    def figure(self, metric: str, of: str, now_s: float) -> float | None:
        """Of caller or hop `of` over the last seconds. None while there is none, or too little for it."""
        while self._recent and _ended_s(self._recent[0]) < now_s - self._for_s:
            self._recent.popleft()
        callers = {} if self._setup is None else {caller.name for caller in self._setup.callers}
        found = self._caller(of, now_s) if of in callers else self._hop(of)
        return found.get(metric)

    def _caller(self, name: str, now_s: float) -> Figures:
        ended = [r for r in self._recent if isinstance(r, Request) and r.arrived.caller == name]
        since_s = now_s - self._for_s
        spans = [(r.arrived.at_s, r.ended.at_s) for r in ended]
        spans += [(a.at_s, now_s) for a in self._open.values() if a.caller == name]
        under_way = Occupancy.of(spans).mean(since_s, now_s) if spans else 0.0
        if not ended or self._setup is None:
            return {"in_flight": under_way}
        ended.sort(key=lambda request: request.arrived.intended_s)
        caller = next(each for each in self._setup.callers if each.name == name)
        all_of_them = Window(-inf, inf)
        cohort = Cohort.of(caller, ended, all_of_them, bystander=False)
        window = Window(ended[0].arrived.intended_s, now_s)
        return {**figures(cohort, window), "in_flight": under_way}

    def _hop(self, name: str) -> Figures:
        gauges = [r for r in self._recent if isinstance(r, Gauge) and r.place == name]
        visits = [r for r in self._recent if isinstance(r, Visit) and r.hop == name]
        attempts = [r for r in self._recent if isinstance(r, Attempted) and r.worker == name]
        stayed = [v.at_s - v.arrived_s for v in visits] + [a.at_s - a.started_s for a in attempts]
        waited = [(v.at_s if v.granted_s is None else v.granted_s) - v.arrived_s for v in visits]
        waiting = [(g.at_s, g.values["waiting"]) for g in gauges if "waiting" in g.values]
        held = [g.values[key] for g in gauges for key in _HELD if key in g.values]
        columns = np.array(waiting, dtype=np.float64).reshape(-1, 2)
        return {
            "in_use": _mean(held),
            "waiting": _mean([count for _, count in waiting]),
            "queue_growth_rps": slope(columns[:, 0], columns[:, 1]) if len(waiting) > 1 else None,
            **_percentiles("wait_s", waited),
            **_percentiles("hop_s", stayed),
        }


def can_be_guarded(metric: str) -> bool:
    """Whether a running run has that metric at all: what is good is known at its end."""
    family = METRICS.get(metric.partition(".")[0])
    return family is not None and family.of in ("caller", "hop") and family.name not in UNKNOWN


def _ended_s(record: Request | Visit | Attempted | Gauge) -> float:
    return record.ended.at_s if isinstance(record, Request) else record.at_s


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _percentiles(name: str, values: Sequence[float]) -> Figures:
    return {f"{name}.{q}": value for q, value in quantiles(np.array(values, dtype=np.float64)).items()}
