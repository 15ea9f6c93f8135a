"""How pressure came and went at each hop: one line of small bars a hop, the fault's time in brackets."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from harness.judging.figures import factor
from harness.judging.grouping import between
from harness.judging.history import History
from harness.judging.percentiles import Floats
from harness.judging.pressure import traffic
from harness.judging.windows import Timeline, Window, timeline

COLUMNS = 40
BARS = "▁▂▃▄▅▆▇█"
CALM = 3.0  # times its level before the fault: a hop that stays below stays in the lower half
LEAST = 1.0  # request or so: less than this at most is no pressure, however it grew


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """How many requests were at a place in each stretch of a run, on average; NaN where nobody looked."""

    place: str
    values: Floats
    growth: float  # during the fault / before


def sparklines(history: History) -> list[str]:
    """One line a hop, the faulted workers first, then from the gateway towards the callers."""
    every = levels(history)
    width = max((len(each.place) for each in every), default=0)
    columns = stretches(timeline(history))
    return [
        f"{each.place:<{width}}  {sparkline(each.values, columns.fault)}  {factor(each.growth)}"
        for each in every
    ]


@dataclass(frozen=True, slots=True)
class Stretches:
    """`edges` of the columns in seconds; `fault`: the columns that the fault has, from and up to without."""

    edges: Floats
    fault: tuple[int, int]


def stretches(times: Timeline) -> Stretches:
    """From the baseline to the end of the recovery, in columns of one length; two characters are brackets."""
    phases = times.phases
    start_s = phases["baseline"].start_s
    end_s = phases.get("recovery", phases["fault"]).end_s
    columns = COLUMNS - 2
    step_s = (end_s - start_s) / columns
    first = min(max(round((times.fault.start_s - start_s) / step_s), 0), columns - 1)
    last = min(max(round((times.fault.end_s - start_s) / step_s), first + 1), columns)
    return Stretches(np.linspace(start_s, end_s, columns + 1), (first, last))


def levels(history: History) -> list[Levels]:
    """Requests present at each hop, and running or waiting in each faulted worker."""
    times = timeline(history)
    edges = stretches(times).edges
    before, during = times.before(), times.during(None)
    fault = history.setup.fault
    found = [_at_worker(history, name, edges, before, during) for name in (fault.workers if fault else [])]
    for at in reversed(traffic(history)):
        was, now = (at.present.mean(w.start_s, w.end_s) for w in (before, during))
        found.append(Levels(at.hop.name, at.present.means(edges), _growth(was, now)))
    return found


def sparkline(values: Sequence[float] | Floats, fault: tuple[int, int]) -> str:
    """A bar a value, `[` before those of the fault and `]` behind them; a blank where nobody looked.

    What came before the fault sets the scale: a hop at its usual level is low, whatever that level is.
    """
    seen = np.asarray(values, dtype=np.float64)
    usual = seen[: fault[0]][~np.isnan(seen[: fault[0]])]
    calm = CALM * float(usual.mean()) if len(usual) else 0.0
    top = max(LEAST, calm, float(np.nanmax(seen, initial=0.0)))
    bars = [" " if np.isnan(value) else _bar(value / top) for value in seen]
    return "".join([*bars[: fault[0]], "[", *bars[fault[0] : fault[1]], "]", *bars[fault[1] :]])


def _bar(ratio: float) -> str:
    return BARS[min(int(max(ratio, 0.0) * len(BARS)), len(BARS) - 1)]


def _at_worker(history: History, name: str, edges: Floats, before: Window, during: Window) -> Levels:
    values = [_seen(history, name, start_s, end_s) for start_s, end_s in pairwise(edges)]
    was, now = (_seen(history, name, window.start_s, window.end_s) for window in (before, during))
    return Levels(name, np.array(values, dtype=np.float64), _growth(was, now))


def _seen(history: History, name: str, start_s: float, end_s: float) -> float:
    """A worker that does not answer is not seen."""
    looks = [look.values for look in between(history.gauges(name), start_s, end_s)]
    found = [look["running"] + look["waiting"] for look in looks if {"running", "waiting"} <= look.keys()]
    return float(np.mean(found)) if found else float("nan")


def _growth(was: float, now: float) -> float:
    """One request more on both sides, as in the measures: of next to nothing there is no ratio."""
    return (now + 1) / (was + 1)
