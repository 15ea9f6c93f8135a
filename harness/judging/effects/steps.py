"""What the engine's steps show of a fault."""

from collections.abc import Sequence

from harness.judging.effects.measure import Measure, Measuring
from harness.judging.grouping import between
from harness.judging.history import Gauge, History
from harness.judging.windows import Timeline, Window


def _step_time(history: History, worker: str, timeline: Timeline) -> Measure:
    """The step under way when the fault begins is left out: a policy may soon bench the worker."""
    gauges = history.gauges(worker)
    before_s = mean_step_s(gauges, timeline.before())
    settled = Window(timeline.fault.start_s + 2 * (before_s or 0.0), timeline.fault.end_s)
    during_s = mean_step_s(gauges, settled) or mean_step_s(gauges, timeline.fault)
    return Measure(during_s / before_s if before_s and during_s else None)


MEASURES: dict[str, Measuring] = {"step time": _step_time}


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
