"""Whether the fault was seen to be gone: its own quantity measured once more, after it was taken away.

A site says that it has healed; this is what its gauges say. What nobody measured speaks neither way.
"""

from dataclasses import replace

from harness.judging.bite import LEAST_RATIO
from harness.judging.effects import MEASURES
from harness.judging.history import FaultSetup, History
from harness.judging.windows import Timeline, Window

LEFT_RATIO = 0.8  # of what the fault showed: a backlog that still drains shows less, one that is there all


def not_healed(history: History, timeline: Timeline) -> str:
    """One line on a worker where the fault is still measured late in the recovery, empty if there is none."""
    fault, after = history.setup.fault, timeline.after()
    if fault is None or after is None or not (fault.heals and timeline.removed):
        return ""
    found = (_still_there(history, fault, worker, timeline, after) for worker in fault.workers)
    return next(filter(None, found), "")


def _still_there(history: History, fault: FaultSetup, worker: str, timeline: Timeline, late: Window) -> str:
    before, during, after = (
        _measured(history, fault, worker, timeline, window)
        for window in (timeline.before(), timeline.fault, late)
    )
    neutral = before if fault.less else 1.0 if fault.unit == "x" else 0.0
    if neutral is None or during is None or after is None:
        return ""
    shown, asked = during - neutral, fault.asked - neutral
    if shown / asked < LEAST_RATIO if asked else True:  # it never bit
        return ""
    left = (after - neutral) / shown
    if left < LEFT_RATIO:
        return ""
    return f"{left:.0%} of {fault.kind} is still measured at {worker} after it was taken away"


def _measured(
    history: History, fault: FaultSetup, worker: str, timeline: Timeline, window: Window
) -> float | None:
    measure = MEASURES.get(fault.quantity)
    return measure(history, worker, replace(timeline, fault=window)).measured if measure else None
