"""Pressure at every hop: slots in use, the line in front of them, and how long it takes to get through.

Hops are read from the visits that they recorded, workers from their gauges and the attempts sent to them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.judging.callers import Figures, trends
from harness.judging.history import Attempted, Gauge, History, Hop, Visit
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import QUANTILES, Floats, label, quantile
from harness.judging.result import Place
from harness.judging.windows import Window

FULL_FOR_S = 0.5  # without a free slot; shorter is an ordinary burst
_SLOPE_STEP_S = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class HopTraffic:
    """All visits to one hop: who is there, who holds a slot."""

    hop: Hop
    visits: tuple[Visit, ...]
    present: Occupancy
    holding: Occupancy

    def full_after_s(self, start_s: float, until_s: float) -> float | None:
        """Seconds from `start_s` until no slot was free for `FULL_FOR_S`; None if never before `until_s`.

        Whoever waits proves that all slots are held, so those present are counted, not the holders: a slot
        that is handed on is never seen free.
        """
        if self.hop.slots is None:
            return None
        full = self.present.first_full(self.hop.slots, start_s, FULL_FOR_S)
        return full - start_s if full is not None and full < until_s else None


def traffic(history: History) -> list[HopTraffic]:
    """One entry a hop, in the order of the set-up: from the callers towards the workers."""
    visits: dict[str, list[Visit]] = {hop.name: [] for hop in history.setup.hops}
    for visit in history.of(Visit):
        if visit.hop not in visits:
            raise ValueError(
                f"the history does not add up: a visit to {visit.hop!r}, which is no hop of its set-up"
            )
        visits[visit.hop].append(visit)
    return [_hop_traffic(hop, visits[hop.name]) for hop in history.setup.hops]


def hop_place(at: HopTraffic, windows: Sequence[Window | None], fault: Window) -> Place:
    """`windows`: before, during, after."""
    return Place(
        name=at.hop.name,
        kind="gateway" if at.hop.slots is None else "service",
        slots=at.hop.slots,
        faulted=False,
        metrics=trends([_hop_figures(at, window) if window else {} for window in windows]),
        full_after_s=at.full_after_s(fault.start_s, fault.end_s),
    )


def worker_places(history: History, windows: Sequence[Window | None]) -> list[Place]:
    """One place a worker; its slots are the seats in its batch."""
    setup = history.setup
    faulted = frozenset(setup.fault.workers if setup.fault else ())
    gauges = {name: [g for g in history.of(Gauge) if g.place == name] for name in setup.workers}
    attempts = {name: [a for a in history.of(Attempted) if a.worker == name] for name in setup.workers}
    return [
        Place(
            name=name,
            kind="worker",
            slots=setup.max_num_seqs or None,
            faulted=name in faulted,
            metrics=trends(
                [
                    _worker_figures(gauges[name], attempts[name], window) if window else {}
                    for window in windows
                ]
            ),
        )
        for name in setup.workers
    ]


def workers_up(history: History, window: Window) -> float | None:
    """How many workers were up, on average. None if nobody looked."""
    looks = [
        [
            g.values["up"]
            for g in history.of(Gauge)
            if g.place == name and window.holds(g.at_s) and "up" in g.values
        ]
        for name in history.setup.workers
    ]
    return sum(sum(ups) / len(ups) for ups in looks) if all(looks) else None


def slope(times: Floats, values: Floats) -> float:
    """The Theil-Sen slope: the median over all pairs of points. 0 for fewer than two points."""
    first, second = np.triu_indices(len(times), k=1)
    if not len(first):
        return 0.0
    return float(np.median((values[second] - values[first]) / (times[second] - times[first])))


def _hop_traffic(hop: Hop, visits: Sequence[Visit]) -> HopTraffic:
    return HopTraffic(
        hop,
        tuple(visits),
        Occupancy.of((v.arrived_s, v.at_s) for v in visits),
        Occupancy.of((v.granted_s, v.at_s) for v in visits if v.granted_s is not None),
    )


def _hop_figures(at: HopTraffic, window: Window) -> Figures:
    start_s, end_s = window.start_s, window.end_s
    in_use = at.holding.mean(start_s, end_s)
    times = np.arange(start_s, end_s, _SLOPE_STEP_S)
    came = [v for v in at.visits if window.holds(v.arrived_s)]
    waits = [(v.at_s if v.granted_s is None else v.granted_s) - v.arrived_s for v in came]
    return {
        "in_use": in_use,
        "waiting": max(0.0, at.present.mean(start_s, end_s) - in_use),
        "queue_growth_rps": slope(times, at.present.at(times) - at.holding.at(times)),
        **_percentiles("wait_s", waits),
        **_percentiles("hop_s", [v.at_s - v.arrived_s for v in came]),
    }


def _worker_figures(gauges: Sequence[Gauge], attempts: Sequence[Attempted], window: Window) -> Figures:
    seen = [g.values for g in gauges if window.holds(g.at_s)]
    took = [a.at_s - a.started_s for a in attempts if window.holds(a.started_s)]
    return {
        "in_use": _mean([values["running"] for values in seen if "running" in values]),
        "waiting": _mean([values["waiting"] for values in seen if "waiting" in values]),
        **_percentiles("hop_s", took),
    }


def _percentiles(name: str, values: Sequence[float]) -> Figures:
    column: Floats = np.array(values, dtype=np.float64)
    return {f"{name}.{label(q)}": quantile(column, q) for q in QUANTILES}


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
