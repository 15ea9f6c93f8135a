"""Objectives that cannot hold together, or say a thing twice."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from harness.gating.problem import Problem
from harness.judging.pairs.objective import Objective


def contradictions(objectives: Sequence[Objective]) -> Iterator[Problem]:
    """Each is told of the later one, with the line of the earlier one."""
    for first, second in combinations(objectives, 2):
        words = _between(first, second)
        if words:
            yield Problem(second.line, words)


def _between(first: Objective, second: Objective) -> str:
    if first.id == second.id:
        return f"id {second.id} is there twice, also in line {first.line}. Give each an id of its own"
    if _about(first) != _about(second):
        return ""
    if first.bound == second.bound:
        return _same_bound(first, second)
    upper, lower = (first, second) if first.upper else (second, first)
    if upper.limit >= lower.limit:
        return ""
    return (
        f"{second.id} contradicts {first.id} in line {first.line}: {upper.bound} {upper.limit:g} is below"
        f" {lower.bound} {lower.limit:g}. Change one"
    )


def _same_bound(first: Objective, second: Objective) -> str:
    """A warning before the limit that blocks is no contradiction."""
    if first.level != second.level:
        return ""
    if first.limit == second.limit:
        return f"{second.id} says what {first.id} says in line {first.line}. Remove one"
    return (
        f"{second.id} and {first.id} in line {first.line} bound the same by {second.limit:g} and"
        f" {first.limit:g}. Keep one, or give them different levels"
    )


def _about(objective: Objective) -> tuple[str, str, str, str]:
    """What two bounds must share to meet."""
    return objective.metric, objective.of, objective.during, objective.against
