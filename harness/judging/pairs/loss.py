"""How far the requests of all pairs together leave the goodput open that bystanders lost.

Pairs that lost nothing are alike, and few requests are lost unevenly: the median of such shares lies below
their mean, and by the pairs alone a system that loses just too much would pass too often.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.pooled import at_least, at_most, chance_of
from harness.judging.result import Measure, RunResult

LOSS = "goodput_loss"


@dataclass(frozen=True, slots=True)
class OpenLoss:
    """Of one caller: good answers of so many requests, and the share that was good in the controls."""

    good: float
    count: float
    usual: float

    def bounds(self, error: float) -> tuple[float, float]:
        least, most = (bound(self.good, self.count, error / 2) for bound in (at_least, at_most))
        return 1 - most / self.usual, 1 - least / self.usual

    def chance(self, limit: float) -> float:
        """Of so few good answers if no more than `limit` were lost."""
        return chance_of(self.count - self.good, self.count, 1 - max(0.0, 1 - limit) * self.usual)


@dataclass(frozen=True, slots=True)
class WorstLoss:
    """Of the callers that suffers most."""

    callers: Sequence[OpenLoss]

    def widened(self, lower: float, upper: float, error: float) -> tuple[float, float]:
        lowers, uppers = zip(*(caller.bounds(error) for caller in self.callers), strict=True)
        return min(lower, max(lowers)), max(upper, *uppers)

    def chance(self, objective: Objective) -> float:
        return min(caller.chance(objective.limit) for caller in self.callers)


def open_loss(name: str, pairs: Sequence[PairResult]) -> OpenLoss | None:
    """None where nothing was good without the fault."""
    good, count = _pool(name, [pair.fault for pair in pairs])
    was_good, of = _pool(name, [pair.control for pair in pairs])
    return OpenLoss(good, count, was_good / of) if count and was_good else None


def worst_loss(objective: Objective, pairs: Sequence[PairResult]) -> WorstLoss | None:
    """None for an objective about anything else."""
    if objective.metric != LOSS or objective.against or not objective.upper:
        return None
    names = dict.fromkeys(m.about for pair in pairs for m in pair.fault.measures if m.name == LOSS)
    known = [loss for name in names if (loss := open_loss(name, pairs)) is not None]
    return WorstLoss(known) if known else None


def widened(measure: Measure, pairs: Sequence[PairResult], error: float) -> Measure:
    """The measure of the pairs together, if it is a loss, with bounds that its requests bear out."""
    loss = open_loss(measure.about, pairs) if measure.name == LOSS else None
    if loss is None:
        return measure
    lower, upper = WorstLoss([loss]).widened(measure.lower, measure.upper, error)
    return measure.model_copy(update={"lower": lower, "upper": upper})


def _pool(name: str, runs: Sequence[RunResult]) -> tuple[float, float]:
    """Good requests during the fault, or in its place, and all."""
    good = count = 0.0
    for caller in (caller for run in runs for caller in run.callers if caller.name == name):
        share, offered = caller.metrics["goodput_ratio"].during, caller.metrics["offered"].during
        if share is not None and offered:
            good, count = good + share * offered, count + offered
    return good, count
