"""From objectives and guards as they are written to bounds on metrics, in the metrics' units."""

from collections.abc import Mapping

from harness.gating.gate_file import StopIf
from harness.gating.problem import Problem
from harness.gating.quantity import Written, read_limit, read_seconds
from harness.gating.written import WrittenGuard, WrittenObjective
from harness.gating.yaml_text import Place, line_of
from harness.judging.metrics import Metric
from harness.judging.pairs.objective import BOUNDS, Bound, Objective, find_metric

Lines = Mapping[Place, int]


def read_objective(written: WrittenObjective, number: int, lines: Lines) -> Objective | Problem | None:
    """None where it was already told what is wrong."""
    place: Place = ("objectives", number)
    given = written.bounds()
    if len(given) != 1:
        told = not given and any((*place, bound) in lines for bound in BOUNDS)
        return None if told else Problem(line_of(lines, *place), f"{written.id} {_not_one(given)}")
    ((bound, limit),) = given.items()
    found = _metric(written.metric, (*place, "metric"), lines)
    if isinstance(found, Problem):
        return found
    try:
        value = _limit(bound, limit, found)
    except ValueError as wrong:
        return Problem(line_of(lines, *place, bound), f"{bound}: {wrong}")
    return Objective(
        id=written.id,
        metric=written.metric,
        of=written.of,
        during=written.during,
        bound=bound,
        limit=value,
        level=written.level,
        on_missing=written.on_missing,
        line=line_of(lines, *place),
    )


def read_guard(written: WrittenGuard, number: int, lines: Lines) -> StopIf | Problem:
    place: Place = ("guards", number)
    found = _metric(written.metric, (*place, "metric"), lines)
    if isinstance(found, Problem):
        return found
    try:
        over = _limit("max", written.over, found)
    except ValueError as wrong:
        return Problem(line_of(lines, *place, "over"), f"over: {wrong}")
    try:
        for_s = read_seconds(written.for_)
        if for_s == 0:
            raise ValueError("0 is no time: one sample would stop the job. Write one such as 3 s")
    except ValueError as wrong:
        return Problem(line_of(lines, *place, "for"), f"for: {wrong}")
    return StopIf(metric=written.metric, of=written.of, over=over, for_s=for_s, line=line_of(lines, *place))


def _metric(name: str, place: Place, lines: Lines) -> Metric | Problem:
    try:
        return find_metric(name)
    except ValueError as wrong:
        return Problem(line_of(lines, *place), str(wrong))


def _not_one(given: Mapping[Bound, Written]) -> str:
    if given:
        return f"has {' and '.join(given)}. Write an objective for each, with an id of its own"
    return f"has no bound. Add one of {', '.join(BOUNDS)}"


def _limit(bound: Bound, written: Written, metric: Metric) -> float:
    """ValueError, too, for a bound that holds always or never."""
    if "_vs_" in bound:
        return read_limit(written, "factor")
    limit = read_limit(written, metric.unit)
    if bound == "min" and limit == 0:
        raise ValueError("0 is never missed. Write more, or remove the objective")
    if bound == "max" and metric.unit == "share" and limit == 1:
        raise ValueError("no share is above 1. Write less, or remove it")
    if bound == "max" and metric.unit == "s" and limit == 0:
        raise ValueError("nothing takes 0 s. Write a duration such as 2 s")
    return limit
