"""Whether the line in front of a service grew all through the fault, and how long it became.

| measure      | formula                                                                 | mild / severe |
|--------------|-------------------------------------------------------------------------|---------------|
| queue_growth | (line at the end + 1) / (p99 of the line of the control + 1)            | 2 / 10        |

The line at the end is the mean over the last second. A line that did not grow (the Theil-Sen slope's lower
99 % bound is not above 0) proves nothing, however long it is: its lower bound is at most 1. The slope's bound
is Sen's (Estimates of the regression coefficient based on Kendall's tau, JASA 63, 1968). Queues that grow as
the sign of overload: Maurer, Fail at Scale, ACM Queue 2015. Severe is there an unbounded line, which a run of
finite length cannot show; ten times the longest usual one and still growing is taken for it.
"""

from math import ceil, sqrt

import numpy as np

from harness.judging.case import Case
from harness.judging.percentiles import Floats
from harness.judging.pressure import HopTraffic, look_times, pair_slopes
from harness.judging.result import Measure
from harness.judging.windows import Window

GROWTH = (2.0, 10.0)
FLOOR = 1.0  # requests in line
LAST_S = 1.0
USUAL = 0.99
NORMAL_99 = 2.3263  # one-sided 99 % of the normal distribution


def queue_growths(case: Case) -> list[Measure]:
    """One a service, in the order of the set-up."""
    both = zip(case.reference.hops, case.during.hops, strict=True)
    calm, fault = case.reference.blocks.window, case.during.blocks.window
    return [_growth(was, calm, now, fault) for was, now in both if now.hop.slots is not None]


def _growth(was: HopTraffic, calm: Window, now: HopTraffic, fault: Window) -> Measure:
    times = look_times(fault)
    usual = _usual(was.waiting(look_times(calm)))
    last_s = max(fault.start_s, fault.end_s - LAST_S)
    final = now.present.mean(last_s, fault.end_s) - now.holding.mean(last_s, fault.end_s)
    value = (max(0.0, final) + FLOOR) / (usual + FLOOR)
    grew = slope_at_least(times, now.waiting(times)) > 0
    return Measure(
        name="queue_growth", about=now.hop.name, value=value, lower=value if grew else min(1.0, value),
        upper=value, mild=GROWTH[0], severe=GROWTH[1], deciding=False, before=usual, during=max(0.0, final),
    )  # fmt: skip


def slope_at_least(times: Floats, values: Floats) -> float:
    """The lower 99 % bound of the Theil-Sen slope, minus infinity where the points are too few for one."""
    slopes, count = np.sort(pair_slopes(times, values)), len(times)
    outside = NORMAL_99 * sqrt(count * (count - 1) * (2 * count + 5) / 18)
    rank = round((len(slopes) - outside) / 2) - 1  # 0 is the smallest
    return float(slopes[rank]) if rank >= 0 else float("-inf")


def _usual(line: Floats) -> float:
    """The p99 over time, by nearest rank."""
    ranked = np.sort(line)
    return float(ranked[ceil(USUAL * len(ranked) - 1e-9) - 1]) if len(ranked) else 0.0
