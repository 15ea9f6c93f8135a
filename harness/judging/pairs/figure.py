"""The figure that an objective is about, looked up in the runs of a pair."""

from math import inf, isinf
from typing import Literal

from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.result import Caller, RunResult, Trend

Column = Literal["before", "during", "after"]
WHOLE = ("spread", "pair")  # metrics that are measures, of all bystanders or of the pair


def value_of(objective: Objective, pair: PairResult, baseline: PairResult | None = None) -> float | None:
    """What the bound is about: the figure itself, or how many times that of the control or the baseline.

    None where it could not be had. `baseline`: the pair of the same seed under the baseline's policy.
    """
    ours = figure(objective, pair)
    match objective.against:
        case "control":
            return ratio(ours, figure_in(objective, pair.control))
        case "baseline":
            return ratio(ours, figure(objective, baseline) if baseline else None)
    return ours


def figure(objective: Objective, pair: PairResult) -> float | None:
    return figure_in(objective, arm_of(objective, pair))


def arm_of(objective: Objective, pair: PairResult) -> RunResult:
    """The run that it is about."""
    return pair.control if objective.during == "control" else pair.fault


def figure_in(objective: Objective, run: RunResult) -> float | None:
    """In the window of the objective. Of a measure that there is one a bystander of, the worst."""
    if objective.measured.of in WHOLE:
        return _worst_measure(objective, run)
    return named(objective.metric, objective.of, run, column(objective))


def named(metric: str, of: str, run: RunResult, where: Column) -> float | None:
    """`of` empty: the run as a whole."""
    found = metrics_of(run, of).get(metric, Trend())
    value: float | None = getattr(found, where)
    return value


def column(objective: Objective) -> Column:
    """The control's window is the same as that of the fault, in the other run."""
    match objective.during:
        case "before" | "after":
            return objective.during
    return "during"


def metrics_of(run: RunResult, of: str) -> dict[str, Trend]:
    if not of:
        return run.metrics
    named = {caller.name: caller.metrics for caller in run.callers}
    named |= {place.name: place.metrics for place in run.places}
    return named.get(of, {})


def samples_of(objective: Objective, pair: PairResult) -> int | None:
    return samples_in(objective, arm_of(objective, pair))


def samples_in(objective: Objective, run: RunResult) -> int | None:
    """How many requests the figure is of; None where it is not of requests."""
    if objective.measured.of in (*WHOLE, "hop"):
        return None
    callers = [caller for caller in run.callers if _is_of(caller, objective)]
    counts = [getattr(caller.metrics.get("offered", Trend()), column(objective)) for caller in callers]
    return None if None in counts or not counts else int(sum(counts))


def _is_of(caller: Caller, objective: Objective) -> bool:
    """Of the run as a whole a figure is of those that ask workers, unless it says of whom."""
    if objective.of:
        return caller.name == objective.of
    match objective.metric:
        case "bystander_goodput_ratio":
            return caller.bystander
        case "touched_goodput_ratio":
            return not caller.bystander
    return caller.inference


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """Nothing of nothing is no change. Of two figures that are both infinite nobody knows which is worse."""
    if ours is None or theirs is None or (isinf(ours) and isinf(theirs)):
        return None
    if theirs == 0:
        return 1.0 if ours == 0 else inf
    return ours / theirs


def _worst_measure(objective: Objective, run: RunResult) -> float | None:
    found = [measure for measure in run.measures if measure.name == objective.metric]
    values = [measure.value for measure in found if measure.deciding] or [measure.value for measure in found]
    if not values:
        return None
    return max(values) if objective.upper else min(values)
