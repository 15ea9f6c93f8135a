"""Latency of the requests none of whose attempts happened to go to a faulted worker.

| measure             | formula                                                          | mild / severe |
|---------------------|------------------------------------------------------------------|---------------|
| untouched_inflation | (q of the untouched + 0.1 s) / (q of the control's own + 0.1 s)  | 1.25 / 2      |

A diagnostic and no more: a policy changes who is untouched. In the control those count that did not go to the
worker either, so that both are picked by the same rule.
"""

import numpy as np

from harness.judging.bootstrap import Blocks, bounds
from harness.judging.bystanders import INFLATION, LATENCY_FLOOR_S
from harness.judging.case import Case
from harness.judging.percentiles import Floats, highest_permitted, quantile
from harness.judging.result import Measure
from harness.judging.side import Side


def untouched_inflation(case: Case) -> list[Measure]:
    """At the median and the highest quantile that both allow. Nothing for fewer than six on either side."""
    was, became = (_untouched(side, frozenset(case.faulted)) for side in (case.reference, case.during))
    highest = highest_permitted(min(len(was[0]), len(became[0])))
    if highest is None:
        return []
    blocks = case.reference.blocks, case.during.blocks
    return [_at(q, was, became, blocks) for q in dict.fromkeys((0.5, highest))]


def _at(
    q: float, was: tuple[Floats, Floats], became: tuple[Floats, Floats], blocks: tuple[Blocks, Blocks]
) -> Measure:
    before, during = (quantile(values, q) or 0.0 for _, values in (was, became))
    often = [
        part.quantiles(times, values, q) for part, (times, values) in zip(blocks, (was, became), strict=True)
    ]
    lower, upper = bounds((often[1] + LATENCY_FLOOR_S) / (often[0] + LATENCY_FLOOR_S))
    return Measure(
        name="untouched_inflation", about="untouched requests", quantile=q,
        value=(during + LATENCY_FLOOR_S) / (before + LATENCY_FLOOR_S), lower=lower, upper=upper,
        mild=INFLATION[0], severe=INFLATION[1], deciding=False, before=before, during=during,
    )  # fmt: skip


def _untouched(side: Side, faulted: frozenset[str]) -> tuple[Floats, Floats]:
    """When each of them was to be sent in the window, and how long it took; in order of their callers."""
    times, scores = [np.array([])], [np.array([])]
    for part in side.parts:
        if part.cohort.setup.inference:
            spared = np.array([not r.met(faulted) for r in part.cohort.requests[part.where]], dtype=np.bool_)
            times.append(part.intended_s[spared])
            scores.append(part.cohort.scored_s[part.where][spared])
    return np.concatenate(times), np.concatenate(scores)
