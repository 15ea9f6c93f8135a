"""Objectives over several pairs: inside the limit, outside of it, or undecided, with what would settle it.

Inside is PASS when the whole interval is; outside is FAIL when figures like these would be too unlikely were
the limit kept. Of several objectives all must hold, so a wrong PASS is no likelier than for one of them; that
any of them fails wrongly is, so those that block share the error by Holm's rule.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from harness.judging.pairs import settle
from harness.judging.pairs.across import comparable, log_of
from harness.judging.pairs.figure import samples_of, value_of
from harness.judging.pairs.gate_result import ObjectiveResult
from harness.judging.pairs.holm import rejected
from harness.judging.pairs.loss import WorstLoss, worst_loss
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.own_control import broken_without, lacks_by_fault, moved_by_itself
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.share import OpenShare, open_share
from harness.judging.pairs.signed_rank import chance_below, estimate
from harness.judging.result import Verdict


@dataclass(frozen=True, slots=True)
class Found:
    """The median with its interval, and the chance of such figures if the limit were kept."""

    value: float
    lower: float
    upper: float
    chance: float


def evaluate(
    objective: Objective,
    pairs: Sequence[PairResult],
    error: float,
    baseline: Mapping[int, PairResult] | None = None,
) -> ObjectiveResult:
    """`pairs`: those that count. `baseline`: pairs under its policy, by seed. `error`: two-sided.

    Taken alone: several that block are to go through `shared`.
    """
    against = baseline or {}
    if objective.against == "baseline":
        pairs = [pair for pair in pairs if pair.seed in against]
    if objective.measured.of == "spread":
        pairs, against = _alike(pairs, against)
    each = {pair.seed: value_of(objective, pair, against.get(pair.seed)) for pair in pairs}
    samples = [count for pair in pairs if (count := samples_of(objective, pair)) is not None]
    values = [value for value in each.values() if value is not None]
    share = open_share(objective, pairs, against) or worst_loss(objective, pairs)
    found = _found(objective, values, share, error) if values else None
    verdict, why, todo = _judge(objective, pairs, list(each.values()), found, error)
    return ObjectiveResult(
        id=objective.id,
        metric=objective.metric,
        of=objective.of,
        during=objective.during,
        bound=objective.bound,
        limit=objective.limit,
        level=objective.level,
        line=objective.line,
        words=objective.words,
        unit=objective.unit,
        verdict=verdict,
        value=found.value if found else None,
        lower=found.lower if found else None,
        upper=found.upper if found else None,
        chance=found.chance if found else None,
        pairs=len(values),
        samples=min(samples, default=None),
        each=each,
        why=why,
        settle=todo,
    )


def _alike(
    pairs: Sequence[PairResult], against: Mapping[int, PairResult]
) -> tuple[list[PairResult], dict[int, PairResult]]:
    """The same with those measures that all of them have."""
    both = [*pairs, *(against[pair.seed] for pair in pairs if pair.seed in against)]
    measures = comparable([pair.fault.measures for pair in both])
    same = [
        pair.model_copy(update={"fault": pair.fault.model_copy(update={"measures": found})})
        for pair, found in zip(both, measures, strict=True)
    ]
    return same[: len(pairs)], {pair.seed: pair for pair in same[len(pairs) :]}


def shared(results: Sequence[ObjectiveResult], error: float) -> list[ObjectiveResult]:
    """The error shared by Holm among all that block, of however many cells: FAIL stays where it falls."""
    tested = [index for index, each in enumerate(results) if each.blocks and each.chance is not None]
    falls = rejected([results[index].chance or 0.0 for index in tested], error / 2)
    spared = {index for index, fell in zip(tested, falls, strict=True) if not fell}
    return [
        _spare(each) if index in spared and each.verdict is Verdict.FAIL and _by_chance(each) else each
        for index, each in enumerate(results)
    ]


def _by_chance(result: ObjectiveResult) -> bool:
    """Its verdict rests on its figures, not on their absence."""
    return result.pairs == len(result.each)


def _spare(result: ObjectiveResult) -> ObjectiveResult:
    why = "outside of its limit, but among so many objectives that may be chance"
    return result.model_copy(
        update={"verdict": Verdict.INCONCLUSIVE, "why": why, "settle": "more pairs, or fewer that block"}
    )


def _judge(
    objective: Objective,
    pairs: Sequence[PairResult],
    each: Sequence[float | None],
    found: Found | None,
    error: float,
) -> tuple[Verdict, str, str]:
    """Verdict, what keeps it from being clear, and what would settle that."""
    missing = sum(value is None for value in each)
    if found is None or missing:
        fails = objective.on_missing == "fail" and any(lacks_by_fault(objective, pair) for pair in pairs)
        verdict = Verdict.FAIL if fails else Verdict.INCONCLUSIVE
        return verdict, *settle.missing(objective, missing, len(each))
    own = broken_without(objective, pairs)
    if own is not None:
        return Verdict.INCONCLUSIVE, *settle.broken_without(objective, own)
    moved = moved_by_itself(objective, pairs, error)
    if moved is not None:
        return Verdict.INCONCLUSIVE, *settle.moved(moved)
    if objective.holds(found.upper if objective.upper else found.lower):
        return Verdict.PASS, "", ""
    if found.chance <= error / 2:
        return Verdict.FAIL, "", ""
    return (
        Verdict.INCONCLUSIVE,
        "",
        settle.undecided(objective, found.value, found.lower, found.upper, len(each), error),
    )


def _found(
    objective: Objective, values: Sequence[float], share: OpenShare | WorstLoss | None, error: float
) -> Found:
    """Of a share, the interval and the chance of what is known less of: the pairs, or their requests."""
    to, back = _scale(objective, values)
    scaled = [to(value) for value in values]
    median = estimate(scaled, error)
    lower, upper = back(median.lower), back(median.upper)
    limit = to(objective.limit)
    chance = chance_below(scaled, limit) if objective.upper else chance_below([-v for v in scaled], -limit)
    if share is not None:
        (lower, upper), chance = share.widened(lower, upper, error), max(chance, share.chance(objective))
    return Found(back(median.centre), lower, upper, chance)


def _scale(
    objective: Objective, values: Sequence[float]
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Noise multiplies, so figures above 0 are compared as logarithms; ratios always are."""
    as_logs = bool(objective.against) or all(value > 0 for value in values)
    return (log_of, exp) if as_logs else (float, float)
