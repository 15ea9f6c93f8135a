"""Little's law, asserted in every run: the mean number present is the rate of arrivals times the mean stay.

Over a whole run, which begins and ends empty, it is an identity of any set of stays. So where it fails a
record contradicts itself: somebody left before coming, or was there before the run or after it. Whether these
stays are all that there were, only the gauges can say: see `books.py`.
"""

from collections.abc import Sequence

import numpy as np

from harness.judging.cohort import Cohort
from harness.judging.history import Attempted
from harness.judging.occupancy import Occupancy
from harness.judging.percentiles import Floats
from harness.judging.pressure import HopTraffic

ROUNDING_S = 1e-6  # for all stays together
ROUNDING_RATIO = 1e-9  # of the run, for each stay


def check_everywhere(
    hops: Sequence[HopTraffic], cohorts: Sequence[Cohort], attempts: Sequence[Attempted], run_s: float
) -> None:
    """At every hop, for its visitors and its slots, for every caller and for the workers together."""
    for at in hops:
        waited = np.maximum(at.waited_s, 0.0)
        check(at.hop.name, at.present, at.stayed_s, run_s)
        check(f"the slots of {at.hop.name}", at.holding, at.stayed_s - waited, run_s)
    for cohort in cohorts:
        check(cohort.name, cohort.under_way, cohort.elapsed_s, run_s)
    began: Floats = np.array([attempt.started_s for attempt in attempts], dtype=np.float64)
    ended: Floats = np.array([attempt.at_s for attempt in attempts], dtype=np.float64)
    check("the workers", Occupancy.between(began, ended), ended - began, run_s)


def check(where: str, present: Occupancy, stays_s: Floats, run_s: float) -> None:
    """`present` counts everybody whose stay is among `stays_s`. ValueError if L is not lambda * W."""
    count, mean = len(stays_s), present.mean(0.0, run_s)
    stayed_s = float(np.maximum(stays_s, 0.0).sum())  # nobody can leave before coming
    if abs(mean * run_s - stayed_s) <= ROUNDING_S + ROUNDING_RATIO * run_s * count:
        return
    raise ValueError(
        f"the history does not add up: at {where} {mean:.6g} are present on average, but by Little's law "
        f"{count / run_s:.6g} a second that stay {stayed_s / count:.6g} s each are {stayed_s / run_s:.6g}"
    )
