"""Whether the system stays broken by its own doing after the fault has gone: busy, and for nothing.

| measure    | all four, in the last third of the recovery                                   | mild / severe |
|------------|-------------------------------------------------------------------------------|---------------|
| metastable | it never recovered; goodput below half of the control's; batches at least 0.8 | any           |
|            | full; and no more is offered than before the fault                            |               |

Bronson et al., Metastable failures in distributed systems, HotOS 2021; Huang et al., OSDI 2022. It decides,
since no chance keeps a healthy system so. Left out where the recovery is too short to tell it from a slow
drain.
"""

from math import sqrt

import numpy as np

from harness.judging.case import Case
from harness.judging.compared.certain import certain
from harness.judging.compared.drain import drain
from harness.judging.compared.recovery import goodput, recovered
from harness.judging.grouping import between
from harness.judging.result import Measure
from harness.judging.windows import Window

GOOD_RATIO = 0.5
BUSY_RATIO = 0.8
CHANCES = 3  # standard deviations by which a count of requests may differ
ANY = (0.0, 0.0)


def metastable(case: Case, control: Case) -> list[Measure]:
    found, law = recovered(case, control), drain(case)
    if found is None or law is None or found.whole.length_s < law.enough_s:
        return []
    late = found.rest
    good, count = goodput(case.cohorts, late)
    usual, usual_count = goodput(control.cohorts, case.beside(late))
    busy = busy_ratio(case, late)
    if not count or not usual or busy is None:
        return []
    now, was = good / count, usual / usual_count
    broken = found.censored and now < GOOD_RATIO * was and busy >= BUSY_RATIO and _no_more(case, late)
    return [certain("metastable", "all", float(broken), ANY, deciding=True, before=was, during=now)]


def busy_ratio(case: Case, window: Window) -> float | None:
    """How full the batches of the workers are on average. None if nobody looked."""
    seats = case.setup.max_num_seqs
    looks = [
        look.values["running"]
        for name in case.setup.workers
        for look in between(case.history.gauges(name), window.start_s, window.end_s)
        if "running" in look.values
    ]
    return float(np.mean(looks)) / seats if looks and seats else None


def _no_more(case: Case, late: Window) -> bool:
    """Whether no more is offered than in the baseline, but for chance."""
    before = case.windows[0]
    usual = goodput(case.cohorts, before)[1] * late.length_s / before.length_s
    return goodput(case.cohorts, late)[1] <= usual + CHANCES * sqrt(usual)
