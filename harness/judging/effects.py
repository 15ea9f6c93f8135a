"""How much of each quantity a history shows at one worker, before and while the fault is there.

To add one: its function, its line in `MEASURES`. A fault names the quantity that it must show.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.windows import Timeline, Window


@dataclass(frozen=True, slots=True)
class Measure:
    """`measured` is None without a sample; then `words` may say what was seen instead."""

    measured: float | None
    words: str = ""


def _step_time(history: History, worker: str, timeline: Timeline) -> Measure:
    """The step under way when the fault begins is left out: a policy may soon bench the worker."""
    gauges = history.gauges(worker)
    before_s = mean_step_s(gauges, timeline.before())
    settled = Window(timeline.fault.start_s + 2 * (before_s or 0.0), timeline.fault.end_s)
    during_s = mean_step_s(gauges, settled) or mean_step_s(gauges, timeline.fault)
    return Measure(during_s / before_s if before_s and during_s else None)


def _delay(history: History, worker: str, timeline: Timeline) -> Measure:
    """The rise of the median round trip through the link, in seconds."""
    gauges = history.gauges(f"link {worker}")
    before_s, during_s = _median_probe_s(gauges, timeline.before()), _median_probe_s(gauges, timeline.fault)
    return Measure(during_s - before_s if before_s is not None and during_s is not None else None)


def _down(history: History, worker: str, timeline: Timeline) -> Measure:
    """1 if the worker was gone when last looked at."""
    looks = between(history.gauges(worker), timeline.fault.start_s, timeline.fault.end_s)
    gauges = [gauge for gauge in looks if "up" in gauge.values]
    down = float(1 - gauges[-1].values["up"]) if gauges else None
    state = {None: "was not looked at", 0.0: "was still up at the end", 1.0: "was gone"}[down]
    return Measure(down, f"{worker} {state}")


MEASURES: dict[str, Callable[[History, str, Timeline], Measure]] = {
    "step time": _step_time,
    "delay": _delay,
    "down": _down,
}


def mean_step_s(gauges: Sequence[Gauge], window: Window) -> float | None:
    """Mean duration of the engine steps that a worker finished between its first and last sample in `window`.

    None without any. A worker that was restarted counts from zero again: samples from there on are left out.
    """
    looks = (gauge.values for gauge in between(gauges, window.start_s, window.end_s))
    seen = [values for values in looks if "steps" in values and "step_seconds" in values]
    if not seen:
        return None
    last = next((i for i in range(1, len(seen)) if seen[i]["steps"] < seen[i - 1]["steps"]), len(seen)) - 1
    steps = seen[last]["steps"] - seen[0]["steps"]
    return (seen[last]["step_seconds"] - seen[0]["step_seconds"]) / steps if steps > 0 else None


def _median_probe_s(gauges: Sequence[Gauge], window: Window) -> float | None:
    looks = between(gauges, window.start_s, window.end_s)
    probes = [gauge.values["probe_s"] for gauge in looks if "probe_s" in gauge.values]
    return float(np.median(probes)) if probes else None
