"""What a worker's process shows of a fault."""

from harness.judging.effects.measure import Measure, Measuring
from harness.judging.grouping import between
from harness.judging.history import History
from harness.judging.windows import Timeline


def _down(history: History, worker: str, timeline: Timeline) -> Measure:
    """1 if the worker was gone when last looked at."""
    looks = between(history.gauges(worker), timeline.fault.start_s, timeline.fault.end_s)
    gauges = [gauge for gauge in looks if "up" in gauge.values]
    down = float(1 - gauges[-1].values["up"]) if gauges else None
    state = {None: "was not looked at", 0.0: "was still up at the end", 1.0: "was gone"}[down]
    return Measure(down, f"{worker} {state}")


MEASURES: dict[str, Measuring] = {"down": _down}
