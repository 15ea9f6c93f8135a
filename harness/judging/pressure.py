"""Pressure at every hop: slots in use, the line in front of them, and how long it takes to get through.

Hops are read from the visits that they recorded, workers from their gauges and the attempts sent to them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from harness.judging.callers import Figures, trends
from harness.judging.grouping import between, grouped
from harness.judging.history import Attempted, Gauge, History, Hop, Visit
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import Floats, quantiles
from harness.judging.result import Place
from harness.judging.windows import Window

FULL_FOR_S = 0.5  # without a free slot; shorter is an ordinary burst
_SLOPE_STEP_S = 0.5
_SLOPE_POINTS = 400  # at most: all pairs of them are looked at


@dataclass(frozen=True, slots=True, eq=False)
class HopTraffic:
    """All visits to one hop: who is there, who holds a slot."""

    hop: Hop
    visits: Sequence[Visit]
    arrived_s: Floats  # one a visit
    waited_s: Floats  # for a slot, or until it gave up
    stayed_s: Floats
    present: Occupancy
    holding: Occupancy

    def waiting(self, times: Floats) -> Floats:
        """How many wait for a slot at each of `times`."""
        return self.present.at(times) - self.holding.at(times)

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
    visits = grouped(history.of(Visit), attrgetter("hop"))
    hops = history.setup.hops
    strays = visits.keys() - {hop.name for hop in hops}
    if strays:
        raise ValueError(
            f"the history does not add up: a visit to {min(strays)!r}, which is no hop of its set-up"
        )
    return [_hop_traffic(hop, visits.get(hop.name, [])) for hop in hops]


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
    return [
        Place(
            name=name,
            kind="worker",
            slots=setup.max_num_seqs or None,
            faulted=name in faulted,
            metrics=trends(_worker_figures(history.gauges(name), history.attempts(name), windows)),
        )
        for name in setup.workers
    ]


def workers_up(history: History, window: Window) -> float | None:
    """How many workers were up, on average. None if nobody looked."""
    seen = (between(history.gauges(name), window.start_s, window.end_s) for name in history.setup.workers)
    looks = [[look.values["up"] for look in each if "up" in look.values] for each in seen]
    return sum(sum(ups) / len(ups) for ups in looks) if all(looks) else None


def slope(times: Floats, values: Floats) -> float:
    """The Theil-Sen slope: the median over all pairs of points. 0 for fewer than two points."""
    slopes = pair_slopes(times, values)
    return float(np.median(slopes)) if len(slopes) else 0.0


def pair_slopes(times: Floats, values: Floats) -> Floats:
    """The slopes between all pairs of points."""
    first, second = np.triu_indices(len(times), k=1)
    return np.asarray((values[second] - values[first]) / (times[second] - times[first]), dtype=np.float64)


def look_times(window: Window) -> Floats:
    """When the line in front of a hop is looked at, to see whether it grows."""
    return np.arange(window.start_s, window.end_s, max(_SLOPE_STEP_S, window.length_s / _SLOPE_POINTS))


def _hop_traffic(hop: Hop, visits: Sequence[Visit]) -> HopTraffic:
    left: Floats = np.array([v.at_s for v in visits], dtype=np.float64)
    arrived: Floats = np.array([v.arrived_s for v in visits], dtype=np.float64)
    granted: Floats = np.array([v.granted_s for v in visits], dtype=np.float64)  # None is NaN
    never = np.isnan(granted)
    return HopTraffic(
        hop=hop,
        visits=visits,
        arrived_s=arrived,
        waited_s=np.where(never, left, granted) - arrived,
        stayed_s=left - arrived,
        present=Occupancy.between(arrived, left),
        holding=Occupancy.between(granted[~never], left[~never]),
    )


def _hop_figures(at: HopTraffic, window: Window) -> Figures:
    start_s, end_s = window.start_s, window.end_s
    in_use = at.holding.mean(start_s, end_s)
    times = look_times(window)
    came = (at.arrived_s >= start_s) & (at.arrived_s < end_s)
    return {
        "in_use": in_use,
        "waiting": max(0.0, at.present.mean(start_s, end_s) - in_use),
        "queue_growth_rps": slope(times, at.waiting(times)),
        **_percentiles("wait_s", at.waited_s[came]),
        **_percentiles("hop_s", at.stayed_s[came]),
    }


def _worker_figures(
    gauges: Sequence[Gauge], attempts: Sequence[Attempted], windows: Sequence[Window | None]
) -> list[Figures]:
    started: Floats = np.array([a.started_s for a in attempts], dtype=np.float64)
    took = np.array([a.at_s for a in attempts], dtype=np.float64) - started
    columns: list[Figures] = []
    for window in windows:
        if window is None:
            columns.append({})
            continue
        seen = [look.values for look in between(gauges, window.start_s, window.end_s)]
        began = (started >= window.start_s) & (started < window.end_s)
        columns.append(
            {
                "in_use": _mean([values["running"] for values in seen if "running" in values]),
                "waiting": _mean([values["waiting"] for values in seen if "waiting" in values]),
                **_percentiles("hop_s", took[began]),
            }
        )
    return columns


def _percentiles(name: str, values: Floats) -> Figures:
    return {f"{name}.{which}": value for which, value in quantiles(values).items()}


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
