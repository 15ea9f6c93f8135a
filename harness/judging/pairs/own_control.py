"""What the controls say about an objective: whether they keep its limit, and whether they are the same twice.

A limit that the system breaks without any fault tells nothing about the fault. And where the control's own
later window differs from its earlier one by a good part of what is allowed, the machine moved, and the same
movement may stand behind what a fault seems to do.
"""

from collections.abc import Sequence
from math import exp

from harness.judging.pairs.across import log_of
from harness.judging.pairs.figure import WHOLE, figure, figure_in, named, ratio
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.signed_rank import Estimate, estimate
from harness.judging.percentiles import QUANTILES, label
from harness.judging.result import RunResult

QUARTER = 0.25  # of the way to the limit, as logarithms: less than that is noise the pairs can carry
AMOUNTS = ("offered", "wasted_tokens")  # of two windows of different length
OF_THE_FAULT = ("detection_s", "false_alarms")


def broken_without(objective: Objective, pairs: Sequence[PairResult]) -> float | None:
    """The control's figure where even the control misses the limit; None where it keeps it.

    Only of absolute bounds on what happens during or after the fault: the others are about the control.
    """
    return missed_by([pair.control for pair in pairs], objective)


def missed_by(runs: Sequence[RunResult], objective: Objective) -> float | None:
    """The figure of runs without the fault, where they miss what is asked of its time or of after it."""
    asked_of_it = objective.during in ("fault", "after") and not objective.against
    if not asked_of_it or _has_no_control(objective):
        return None
    values = [value for run in runs if (value := figure_in(objective, run)) is not None]
    if not values:
        return None
    centre = estimate(values, 0.05).centre
    return None if objective.holds(centre) else centre


def lacks_by_fault(objective: Objective, pair: PairResult) -> bool:
    """Whether there is no figure where there should be one: the control, if it is to have one, has it."""
    if figure(objective, pair) is not None:
        return False
    alone = objective.during == "control" or _has_no_control(objective)
    return alone or figure_in(objective, pair.control) is not None


def moved_by_itself(objective: Objective, pairs: Sequence[PairResult], error: float) -> float | None:
    """How many times the control's later window is its earlier one, where that is too much; else None.

    Too much: the interval excludes 1, and the median is beyond a quarter of the way to the limit.
    """
    if not objective.against or _has_no_control(objective) or objective.metric in AMOUNTS:
        return None
    if pairs and pairs[0].fault.bite is None:
        return None  # without a fault nobody is blamed for a load that changes by itself
    found = _later_over_earlier(objective, pairs, error)
    if found is None or found.lower <= 0 <= found.upper:
        return None
    way = abs(log_of(objective.limit)) * QUARTER
    return exp(found.centre) if abs(found.centre) > way else None


def _later_over_earlier(objective: Objective, pairs: Sequence[PairResult], error: float) -> Estimate | None:
    """In logarithms, over the controls. Of a percentile that the earlier window has too few requests for, the
    highest one that both windows of all controls have.
    """
    for metric in _down_from(objective.metric):
        values = [_own_ratio(metric, objective.of, pair.control) for pair in pairs]
        known = [log_of(value) for value in values if value is not None]
        if known and len(known) == len(values):
            return estimate(known, error)
    return None


def _own_ratio(metric: str, of: str, control: RunResult) -> float | None:
    return ratio(named(metric, of, control, "during"), named(metric, of, control, "before"))


def _down_from(metric: str) -> list[str]:
    """The metric, then its lower percentiles."""
    family, dot, rest = metric.partition(".")
    which, mark, suffix = rest.partition("_")
    labels = [label(q) for q in sorted(QUANTILES, reverse=True)]
    if not dot or which not in labels:
        return [metric]
    return [f"{family}.{lower}{mark}{suffix}" for lower in labels[labels.index(which) :]]


def _has_no_control(objective: Objective) -> bool:
    return objective.measured.of in WHOLE or objective.metric in OF_THE_FAULT
