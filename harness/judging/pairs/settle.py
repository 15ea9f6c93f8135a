"""Why an objective is undecided, and what would decide it, in words."""

from math import ceil, isinf, log

from harness.judging.figures import factor
from harness.judging.pairs import pooled
from harness.judging.pairs.gate_amount import amount_of
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.signed_rank import smallest_error

MOST_MORE = 40  # pairs; beyond that nobody waits
Words = tuple[str, str]  # why, and what would settle it


def missing(objective: Objective, missing: int, pairs: int) -> Words:
    if not pairs:
        return "no pair counts", "a machine that is less busy, or another load"
    why = f"no figure in {missing} of {pairs} pairs"
    if objective.against == "baseline":
        why += ", here or under the baseline"
    if objective.measured.quantiles:
        return why, "more requests in the window: a longer phase of it, or a lower percentile"
    return why, "on_missing: fail if that is a fault of its own, else another metric"


def broken_without(objective: Objective, own: float) -> Words:
    return (
        f"the control itself breaks it, without any fault: {amount_of(own, objective.unit)}",
        "less load, more workers, or another limit",
    )


def moved(times: float) -> Words:
    return (
        f"the control moved by itself, {factor(times)} between its own windows",
        "a machine that is less busy, or a longer warm-up",
    )


def undecided(
    objective: Objective, value: float, lower: float, upper: float, pairs: int, error: float
) -> str:
    """More pairs by the present width of the interval: it shrinks as the root of their number."""
    if smallest_error(pairs) > error:
        return f"at least {_fewest(error)} pairs"
    if _only_for_want_of_requests(objective, value):
        needed = pooled.requests_needed(_distance_to_sure(objective), error / 2)
        if needed is None:
            return "no number of requests proves that there is never one: write another limit"
        return f"about {needed:,} requests without a single one: a longer phase, or more pairs"
    edge = _edge(objective, value, lower, upper)
    if isinf(edge) or isinf(value):
        return "it is infinite in some pairs: look at those, or have a longer phase"
    more = _more_pairs(objective.limit, value, edge, pairs)
    if more is None:
        return "it sits on its limit, where no number of pairs tells: write another one"
    if more > MOST_MORE:
        return f"about {more} more pairs, too many to wait for: a longer phase, or another limit"
    return f"about {more} more pairs"


def _edge(objective: Objective, value: float, lower: float, upper: float) -> float:
    """The bound that lies beyond the limit."""
    return upper if objective.holds(value) == objective.upper else lower


def _more_pairs(limit: float, value: float, edge: float, pairs: int) -> int | None:
    """None where no number would do."""
    width, way = _apart(edge, value), _apart(limit, value)
    return max(2, ceil(pairs * ((width / way) ** 2 - 1))) if way else None


def _apart(one: float, other: float) -> float:
    """As logarithms where that can be."""
    if one > 0 and other > 0 and not (isinf(one) or isinf(other)):
        return abs(log(one / other))
    return abs(one - other)


def _only_for_want_of_requests(objective: Objective, value: float) -> bool:
    return objective.unit == "share" and value == (0.0 if objective.upper else 1.0)


def _distance_to_sure(objective: Objective) -> float:
    """The limit, as the share of requests that may be hit."""
    return objective.limit if objective.upper else 1 - objective.limit


def _fewest(error: float) -> int:
    needed = 1
    while smallest_error(needed) > error:
        needed += 1
    return needed
