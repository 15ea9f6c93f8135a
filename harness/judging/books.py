"""Two books of one thing: who was at a hop by the records of those who left, and by the hop's own gauges.

A hop writes its gauges from its own counters, and a record when somebody leaves. In a virtual run they agree
in every sample. In a real run they are taken by the same event loop and agree too, but for whoever has been
given a slot, or has given up, and is not awake yet to say so: that is over before the next sample, which the
loop takes later. Who comes or leaves within `TIE_S` of a sample may be on either side of it.
"""

from collections.abc import Sequence

import numpy as np

from harness.judging.history import Attempted, Gauge, History
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import Floats
from harness.judging.pressure import HopTraffic

TIE_S = 1e-6


def check_books(history: History, hops: Sequence[HopTraffic]) -> None:
    """ValueError if the visits to a hop or the attempts at a worker are not those that the gauges counted."""
    for at in hops:
        gauges = history.gauges(at.hop.name)
        if at.hop.slots is not None:
            _check_service(at, at.hop.slots, gauges, awake=history.setup.virtual)
            continue
        _check(f"at {at.hop.name}", at.present, gauges, "in_flight")
        for worker in history.setup.workers:
            _check(f"at {worker}", _pending(history.attempts(worker)), gauges, f"pending.{worker}")


def _check_service(at: HopTraffic, slots: int, gauges: Sequence[Gauge], *, awake: bool) -> None:
    """`awake`: everybody says at once that a slot came, or that it gave up."""
    name = at.hop.name
    over_s = at.holding.first_full(slots + 1, 0.0, TIE_S)
    if over_s is not None:
        raise ValueError(
            f"the history does not add up: at {name} more than its {slots} slots are held at {over_s:.6f} s"
        )
    times = _times(gauges)
    left_line_s = at.arrived_s + at.waited_s
    never = np.array([visit.granted_s is None for visit in at.visits], dtype=np.bool_)
    line = Occupancy.between(at.arrived_s, left_line_s)
    asleep, gone = np.zeros(len(times)), np.zeros(len(times))
    if not awake:
        asleep = _before_next(times, at.arrived_s, left_line_s)
        gone = _before_next(times, at.arrived_s[never], left_line_s[never])
    _check(f"at the slots of {name}", at.holding, gauges, "in_use", more=asleep)
    _check(f"in the line of {name}", line, gauges, "waiting", fewer=asleep)
    _check(f"at {name}", at.present, gauges, "in_use", "waiting", fewer=gone)


def _check(
    where: str,
    open_: Occupancy,
    gauges: Sequence[Gauge],
    *counters: str,
    fewer: Floats | float = 0.0,
    more: Floats | float = 0.0,
) -> None:
    """The sum of `counters` may be so many `fewer` and so many `more` than the records say."""
    looks = [gauge for gauge in gauges if counters[0] in gauge.values]
    times = _times(looks)
    least, most = open_.bounds(times, TIE_S)
    counted: Floats = sum(
        np.array([look.values[counter] for look in looks], dtype=np.float64) for counter in counters
    ) + np.zeros(len(looks))
    wrong = np.flatnonzero((counted < least - fewer) | (counted > most + more))
    if len(wrong):
        first = int(wrong[0])
        raise ValueError(
            f"the history does not add up: {where} {open_.at(times)[first]:g} are on record at"
            f" {times[first]:.6f} s, but {' + '.join(counters)} was {counted[first]:g}"
        )


def _before_next(times: Floats, came_s: Floats, went_s: Floats) -> Floats:
    """For each of `times` those who were there, and had gone before the next."""
    sample = np.searchsorted(times, went_s, side="left") - 1
    there = sample >= 0
    there[there] = came_s[there] <= times[sample[there]]
    return np.bincount(sample[there], minlength=len(times)).astype(np.float64)


def _pending(attempts: Sequence[Attempted]) -> Occupancy:
    return Occupancy.of((attempt.started_s, attempt.at_s) for attempt in attempts)


def _times(gauges: Sequence[Gauge]) -> Floats:
    return np.array([gauge.at_s for gauge in gauges], dtype=np.float64)
