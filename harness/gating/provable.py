"""Whether the pairs of a plan can prove its limits on latencies, where time is real and so has noise."""

from collections.abc import Iterator
from math import exp, log

from harness.gating.plan import Plan
from harness.gating.problem import Problem
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.power import PAIR_NOISE_RATIO, hopeless_ratio, provable_ratio


def hopeless(plan: Plan) -> Iterator[Problem]:
    """Limits on latencies so near to 1 that in real time even an undisturbed system would not pass."""
    if not plan.real:
        return
    nearest = hopeless_ratio(plan.looks.most, plan.looks.error_each, noise_of(plan))
    for objective in plan.gate.objectives:
        if objective.blocks and _of_time(objective) and exp(abs(log(objective.limit))) < nearest:
            yield Problem(
                objective.line,
                f"{objective.id}: {plan.looks.most} pairs cannot tell x{objective.limit:g} from x1 at"
                f" {noise_of(plan):.0%} noise between pairs. Write x{nearest:.2f} or more, have more pairs,"
                " or run it with --engine virtual",
            )


def noise_of(plan: Plan) -> float:
    """Between pairs, of the logarithm of a latency's ratio."""
    return PAIR_NOISE_RATIO if plan.noise_ratio is None else plan.noise_ratio


def smallest(plan: Plan) -> float:
    """The smallest ratio of a latency that its pairs prove."""
    return provable_ratio(plan.looks.most, plan.looks.error_each, noise_of(plan))


def tight(plan: Plan) -> list[Objective]:
    """Limits on latencies that pairs in real time may leave undecided."""
    if not plan.real:
        return []
    near = smallest(plan)
    objectives = plan.gate.objectives
    return [each for each in objectives if _of_time(each) and exp(abs(log(each.limit))) < near]


def _of_time(objective: Objective) -> bool:
    return bool(objective.against) and objective.measured.unit == "s" and objective.limit > 0
