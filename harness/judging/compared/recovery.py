"""Whether the system came back after the fault had gone, when, and as what.

| measure           | formula                                                                | mild / severe |
|-------------------|------------------------------------------------------------------------|---------------|
| time_to_recover_s | since the end of the fault until three windows in a row are as good as | 2 D / never   |
|                   | the control's: goodput of bystanders and of the others at least 0.95   |               |
|                   | of it, each caller's latency at most 1.25 of it (0.1 s added)          |               |
| residual_impact   | goodput from then on, or in the last third if it never came back, /    | 0.98 / 0.95   |
|                   | the control's                                                          |               |

D is the law of the drain, n / (mu - lambda) for n requests under way at the end of the fault, or a window if
that is longer. The windows are 10 s (Xinda, NSDI 2025, appendices E and F) where the recovery is 60 s or
longer, and a sixth of a shorter one: runs here are scaled down, their recovery of 6 s is judged in windows of
1 s. They start every quarter of a window. The latency is the highest quantile that a window's requests allow.
Never is infinite; its lower bound is how long anybody looked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from harness.judging.bystanders import INFLATION, LEAST_REQUESTS
from harness.judging.case import Case
from harness.judging.cohort import Cohort
from harness.judging.compared.certain import certain
from harness.judging.compared.drain import Drain, drain
from harness.judging.compared.inflation import inflation
from harness.judging.percentiles import samples_needed
from harness.judging.result import Measure
from harness.judging.windows import Window

LONGEST_S, SHORTEST_S = 10.0, 0.5
PARTS = 6  # windows in a recovery
IN_A_ROW = 3
STARTS = 4  # in each window
GOOD_RATIO = 0.95
RESIDUAL = (0.98, 0.95)


@dataclass(frozen=True, slots=True)
class Recovery:
    """`after_s` is infinite if it never came back while anybody looked."""

    whole: Window
    after_s: float

    @property
    def censored(self) -> bool:
        return self.after_s == inf

    @property
    def rest(self) -> Window:
        """In which the residue is judged: from when it was back, or the last third."""
        third_s = self.whole.end_s - self.whole.length_s / 3
        return Window(third_s if self.censored else self.whole.start_s + self.after_s, self.whole.end_s)


def recovery_measures(case: Case, control: Case) -> list[Measure]:
    found = recovered(case, control)
    if found is None:
        return []
    law, whole = drain(case), found.whole
    slow_s = 2 * max(law.needed_s, window_s(whole)) if law is not None else whole.length_s
    back = certain(
        "time_to_recover_s", "all", found.after_s, (min(slow_s, whole.length_s), whole.length_s),
        lower=whole.length_s if found.censored else found.after_s,
    )  # fmt: skip
    return [back, *_residual(case, control, found, law)]


def recovered(case: Case, control: Case) -> Recovery | None:
    """None where the fault does not go away, or too little time or load is left to say anything."""
    phase, end_s = case.times.phases.get("recovery"), case.times.fault.end_s
    heals = case.setup.fault is not None and case.setup.fault.heals
    if phase is None or not heals or phase.end_s - end_s < PARTS * SHORTEST_S:
        return None
    whole = Window(end_s, phase.end_s)
    if _too_few(case, whole) or _too_few(control, case.beside(whole)):
        return None
    length_s = window_s(whole)
    last_s = whole.length_s - IN_A_ROW * length_s
    steps = int(last_s / (length_s / STARTS) + 1e-9)
    for start_s in (whole.start_s + step * length_s / STARTS for step in range(steps + 1)):
        each = [start_s + number * length_s for number in range(IN_A_ROW)]
        if all(_as_good(case, control, Window(at_s, at_s + length_s)) for at_s in each):
            return Recovery(whole, start_s - whole.start_s)
    return Recovery(whole, inf)


def window_s(whole: Window) -> float:
    """How long the windows are in which a recovery is judged."""
    return min(LONGEST_S, whole.length_s / PARTS)


def goodput(cohorts: Sequence[Cohort], window: Window) -> tuple[float, int]:
    """How many requests were good, and of how many."""
    parts = [cohort.good[window.select(cohort.intended_s)] for cohort in cohorts]
    return float(sum(part.sum() for part in parts)), sum(len(part) for part in parts)


def _as_good(case: Case, control: Case, window: Window) -> bool:
    """Both groups apart: what many bystanders do well must not hide what the few others miss."""
    then, both = case.beside(window), list(zip(case.cohorts, control.cohorts, strict=True))
    for bystander in (True, False):
        group = [(c, d) for c, d in both if c.bystander is bystander]
        (good, count), (usual, usual_count) = (
            goodput([c for c, _ in group], window),
            goodput([d for _, d in group], then),
        )
        if count and usual_count and good / count < GOOD_RATIO * usual / usual_count:
            return False
    return all((inflation(c, window, d, then) or 1.0) <= INFLATION[0] for c, d in both)


def _too_few(case: Case, whole: Window) -> bool:
    """Whether there is a stretch with too few requests to tell: nobody there, nobody hurt."""
    edges = np.linspace(whole.start_s, whole.end_s, PARTS + 1)
    sent = [np.histogram(cohort.intended_s, edges)[0] for cohort in case.cohorts]
    return bool((np.sum(sent, axis=0) < samples_needed(0.5)).any())


def _residual(case: Case, control: Case, found: Recovery, law: Drain | None) -> list[Measure]:
    """Nothing of a system that is not back where a longer recovery could have brought it back."""
    if found.censored and (law is None or found.whole.length_s < law.enough_s):
        return []
    good, count = goodput(case.cohorts, found.rest)
    usual, usual_count = goodput(control.cohorts, case.beside(found.rest))
    if min(count, usual_count) < LEAST_REQUESTS or not usual:
        return []
    now, was = good / count, usual / usual_count
    return [certain("residual_impact", "all", now / was, RESIDUAL, less=True, before=was, during=now)]
