"""What a worker shows of a fault around its engine: what it took in, which slots it had, what it said."""

from collections.abc import Sequence
from functools import partial
from statistics import median

from harness.judging.effects.measure import Measure, Measuring
from harness.judging.effects.steps import counted, rise
from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.windows import Timeline, Window


def _share(history: History, worker: str, timeline: Timeline, *, part: str, of: str, none: str) -> Measure:
    """What share of one count another one is, of what both rose by while the fault was there.

    `none`: what is said where the whole is nothing.
    """
    seen = counted(_looks(history, worker, timeline.fault), of, part)
    if not seen:
        return Measure(None)
    whole = rise(seen, of)
    return (
        Measure(rise(seen, part) / whole) if whole > 0 else Measure(None, f"{none} {worker} while it was on")
    )


def _kept(history: History, worker: str, timeline: Timeline) -> Measure:
    """What share of those who left was computed for all the same, which shows a step after they left.

    Of who still stands in the queue nobody knows yet.
    """
    seen = counted(_looks(history, worker, timeline.fault), "left_early", "kept")
    left = rise(seen[:-1], "left_early") - seen[:-1][-1].get("left_waiting", 0.0) if seen[:-1] else 0.0
    if left <= 0:
        return Measure(None, f"nobody left {worker} while it was on")
    return Measure(min(1.0, rise(seen, "kept") / left))


def _usable_slots(history: History, worker: str, timeline: Timeline) -> Measure:
    _, during = _both_slots(history, worker, timeline)
    return Measure(during)


def _slots_lost(history: History, worker: str, timeline: Timeline) -> Measure:
    before, during = _both_slots(history, worker, timeline)
    return Measure(before - during if before is not None and during is not None else None)


def _ageing(history: History, worker: str, timeline: Timeline) -> Measure:
    """How many seconds older, each second, the oldest thing becomes that the worker says of itself."""
    looks = [gauge for gauge in _looks(history, worker, timeline.fault) if "report_age_s" in gauge.values]
    over_s = looks[-1].at_s - looks[0].at_s if looks else 0.0
    rose_s = rise([gauge.values for gauge in looks], "report_age_s") if looks else 0.0
    return Measure(rose_s / over_s if over_s > 0 else None)


def _health_delay(history: History, worker: str, timeline: Timeline) -> Measure:
    """The rise of the median time that an answer about health takes."""
    place = f"health {worker}"
    before = _values(_looks(history, place, timeline.before()), "health_s")
    during = _values(_looks(history, place, timeline.fault), "health_s")
    return Measure(median(during) - median(before) if before and during else None)


MEASURES: dict[str, Measuring] = {
    "failed share": partial(_share, part="failed", of="arrived", none="no request came to"),
    "unanswered share": partial(_share, part="unanswered", of="arrived", none="no request came to"),
    "kept after leaving": _kept,
    "usable slots": _usable_slots,
    "slots lost": _slots_lost,
    "ageing of reports": _ageing,
    "health delay": _health_delay,
}


def _both_slots(history: History, worker: str, timeline: Timeline) -> tuple[float | None, float | None]:
    """Usable batch slots before and during the fault: the median of the samples."""
    before = _values(_looks(history, worker, timeline.before()), "usable_slots")
    during = _values(_looks(history, worker, timeline.fault), "usable_slots")
    return median(before) if before else None, median(during) if during else None


def _looks(history: History, place: str, window: Window) -> Sequence[Gauge]:
    return between(history.gauges(place), window.start_s, window.end_s)


def _values(looks: Sequence[Gauge], name: str) -> list[float]:
    return [gauge.values[name] for gauge in looks if name in gauge.values]
