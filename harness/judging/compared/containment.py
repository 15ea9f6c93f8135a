"""Whose loss it was: of the good answers that the fault cost, how many were the callers' that it can reach.

| measure           | formula                                                               | mild / severe |
|-------------------|-----------------------------------------------------------------------|---------------|
| containment_ratio | 1 - good answers that bystanders lost / good answers lost in all      | 0.95 / 0.5    |
| excess_loss       | share of the good answers lost / the share that no policy could save  | 1.5 / 3       |

Both are left out where next to nothing was lost. The unavoidable share is the law's of what asks workers,
max(0, 1 - (N - 1 + 1/s) / (N rho)), as a share of all, and at least the 0.005 below which a loss is none. The
thresholds of containment are this project's; those of the excess are the ones of growth.
"""

from collections.abc import Sequence

import numpy as np

from harness.judging.bootstrap import bounds
from harness.judging.bystanders import GROWTH
from harness.judging.case import Case
from harness.judging.cohort import Part
from harness.judging.percentiles import Floats
from harness.judging.result import Measure

CONTAINED = (0.95, 0.5)
NOTHING_RATIO = 0.005  # of the good answers of the control; less lost is nothing


def containment(case: Case) -> list[Measure]:
    """Nothing where nothing was lost; no excess where no law says what had to be."""
    both = list(zip(case.reference.parts, case.during.parts, strict=True))
    near = [(was, now) for was, now in both if now.cohort.bystander]
    good = sum(_rate(was)[0] for was, _ in both)
    lost, lost_often = _lost(both)
    if not good or lost <= NOTHING_RATIO * good:
        return []
    theirs, theirs_often = _lost(near)
    lower, upper = bounds(_share(theirs_often, lost_often))
    kept = Measure(
        name="containment_ratio", about="bystanders", value=1 - min(1.0, max(0.0, theirs) / lost),
        lower=lower, upper=upper, mild=CONTAINED[0], severe=CONTAINED[1], deciding=False, less=True,
    )  # fmt: skip
    asking = sum(_rate(was)[0] for was, _ in both if was.cohort.setup.inference)
    return [kept, *_excess(case, lost / good, lost_often / good, asking / good)]


def _excess(case: Case, lost: float, lost_often: Floats, asking: float) -> list[Measure]:
    """Nothing where no law says what had to be lost. `asking`: the share of those that ask workers."""
    law = case.prediction.unavoidable_loss_ratio
    if law is None:
        return []
    unavoidable = max(law * asking, NOTHING_RATIO)
    lower, upper = bounds(np.maximum(lost_often, 0.0) / unavoidable)
    return [
        Measure(
            name="excess_loss", about="all", value=lost / unavoidable, lower=lower, upper=upper,
            mild=GROWTH[0], severe=GROWTH[1], deciding=False, before=unavoidable, during=lost,
        )
    ]  # fmt: skip


def _lost(both: Sequence[tuple[Part, Part]]) -> tuple[float, Floats]:
    """Good answers per second fewer than in the control, and the same in each replicate."""
    rates = [(*_rate(was), *_rate(now)) for was, now in both]
    lost = sum(was - now for was, _, now, _ in rates)
    return lost, np.sum([was - now for _, was, _, now in rates], axis=0) if rates else np.zeros(1)


def _share(part: Floats, whole: Floats) -> Floats:
    """What was kept from spilling over; NaN in a replicate that lost nothing."""
    return 1 - np.clip(part / np.where(whole > 0, whole, np.nan), 0.0, 1.0)


def _rate(part: Part) -> tuple[float, Floats]:
    good, length_s = part.cohort.good[part.where], part.blocks.window.length_s
    return float(good.sum()) / length_s, part.blocks.totals(part.intended_s, good) / length_s
