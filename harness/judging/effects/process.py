"""What a worker's process, and whoever shares its machine, show of a fault."""

from collections.abc import Sequence
from itertools import pairwise

from harness.judging.effects.measure import Measure, Measuring
from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.windows import Timeline, Window


def _down(history: History, worker: str, timeline: Timeline) -> Measure:
    """1 if the worker was gone when last looked at; under a shape, with which it comes back, at any look."""
    gauges = _looks(history, worker, timeline.fault, "up")
    fault = history.setup.fault
    looked = gauges if fault is not None and fault.shape else gauges[-1:]
    down = float(1 - min(gauge.values["up"] for gauge in looked)) if looked else None
    state = {None: "was not looked at", 0.0: "was still up at the end", 1.0: "was gone"}[down]
    return Measure(down, f"{worker} {state}")


def _down_time(history: History, worker: str, timeline: Timeline) -> Measure:
    """Seconds from the beginning of the fault until the worker served again, by its own account.

    The first time, if it crashed more than once. Until the end of the fault for one that stays away.
    """
    fault = timeline.fault
    gauges = _looks(history, worker, fault, "up")
    if not gauges:
        return Measure(None)
    since = [gauge.at_s - gauge.values["age_seconds"] for gauge in gauges if "age_seconds" in gauge.values]
    again = [since_s for since_s in since if since_s > fault.start_s]
    if again:
        return Measure(again[0] - fault.start_s)
    return Measure(0.0 if gauges[-1].values["up"] else fault.length_s)


def _stopped_share(history: History, worker: str, timeline: Timeline) -> Measure:
    """Of the time between the first and the last look at the process while it was watched."""
    gauges = _looks(history, worker, timeline.fault, "watched_seconds")
    watched_s = _rise(gauges, "watched_seconds")
    if watched_s > 0:
        return Measure(_rise(gauges, "stopped_seconds") / watched_s)
    return _none_if_seen(history, worker, timeline)


def _compute_time(history: History, worker: str, timeline: Timeline) -> Measure:
    """How many times as long the worker computes for a step."""
    before_s = _compute_s(history, worker, timeline.before())
    during_s = _compute_s(history, worker, timeline.fault)
    return Measure(during_s / before_s if before_s and during_s else None)


def _neighbour_memory(history: History, worker: str, timeline: Timeline) -> Measure:
    """The most, in MB, that was held beside the worker."""
    return _most(history, worker, timeline, "neighbour_megabytes")


def _gpu_power_limit(history: History, worker: str, timeline: Timeline) -> Measure:
    """Watts, as the card says while a limit of ours is there."""
    return _most(history, worker, timeline, "gpu_power_limit_watts")


def _gpu_clock_limit(history: History, worker: str, timeline: Timeline) -> Measure:
    """MHz, the fastest that was seen while a limit of ours is there."""
    return _most(history, worker, timeline, "gpu_clock_mhz")


MEASURES: dict[str, Measuring] = {
    "down": _down,
    "down time": _down_time,
    "stopped share": _stopped_share,
    "compute time": _compute_time,
    "neighbour memory": _neighbour_memory,
    "gpu power limit": _gpu_power_limit,
    "gpu clock limit": _gpu_clock_limit,
}


def _looks(history: History, worker: str, window: Window, name: str) -> list[Gauge]:
    looks = between(history.gauges(worker), window.start_s, window.end_s)
    return [gauge for gauge in looks if name in gauge.values]


def _rise(gauges: Sequence[Gauge], name: str) -> float:
    """Of a count that starts again at zero when who counts is started again."""
    values = [gauge.values[name] for gauge in gauges]
    return sum(max(0.0, later - earlier) for earlier, later in pairwise(values))


def _compute_s(history: History, worker: str, window: Window) -> float | None:
    """Mean of the steps that ended inside, None without any."""
    gauges = _looks(history, worker, window, "compute_seconds")
    steps = _rise(gauges, "steps")
    return _rise(gauges, "compute_seconds") / steps if steps else None


def _most(history: History, worker: str, timeline: Timeline, name: str) -> Measure:
    gauges = _looks(history, worker, timeline.fault, name)
    if gauges:
        return Measure(max(gauge.values[name] for gauge in gauges))
    return _none_if_seen(history, worker, timeline)


def _none_if_seen(history: History, worker: str, timeline: Timeline) -> Measure:
    """Who was looked at, and showed nothing, has nothing."""
    return Measure(0.0 if _looks(history, worker, timeline.fault, "up") else None)
