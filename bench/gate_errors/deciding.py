"""The whole procedure of a gate on pairs that are there: looks, spread, and one objective on a latency."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from harness.judging.decision import merge
from harness.judging.pairs.across import log_of
from harness.judging.pairs.cell import judge_cell
from harness.judging.pairs.figure import value_of
from harness.judging.pairs.looks import Looks
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.signed_rank import estimate
from harness.judging.pairs.sound import counted
from harness.judging.result import Verdict
from harness.judging.wilson import interval

LATENCY = Objective(
    id="latency", metric="e2e_s.p95_all", of="chat", during="fault", bound="max_vs_control", limit=1.5
)


@dataclass(frozen=True, slots=True)
class Decision:
    """`pairs`: how many it took."""

    verdict: Verdict
    spread: Verdict
    objective: Verdict
    pairs: int
    words: str


def decide(pairs: Sequence[PairResult], looks: Looks, objective: Objective = LATENCY) -> Decision:
    """At the first look that decides, else at the last."""
    for after in looks.after:
        cell = judge_cell(pairs[:after], looks.error_each)
        held = judge_objective(pairs[:after], objective, looks.error_each)
        found = Decision(merge(cell.verdict, held), cell.verdict, held, after, cell.headline)
        if found.verdict is not Verdict.INCONCLUSIVE:
            break
    return found


def judge_objective(pairs: Sequence[PairResult], objective: Objective, error: float) -> Verdict:
    """PASS if the whole interval is inside the limit, FAIL if it is wholly outside."""
    logs = ratios(counted(pairs), objective)
    if not logs or len(counted(pairs)) < len(pairs) * 3 / 4:
        return Verdict.INCONCLUSIVE
    found, limit = estimate(logs, error), log(objective.limit)
    if found.lower > limit:
        return Verdict.FAIL
    return Verdict.PASS if found.upper <= limit else Verdict.INCONCLUSIVE


def at_first_look(pairs: Sequence[PairResult], looks: Looks, objective: Objective) -> Verdict:
    """What the looks make of the objective alone."""
    for after in looks.after:
        held = judge_objective(pairs[:after], objective, looks.error_each)
        if held is not Verdict.INCONCLUSIVE:
            break
    return held


def ratios(pairs: Sequence[PairResult], objective: Objective) -> list[float]:
    """As logarithms, of the pairs that have the figure."""
    values = [value_of(objective, pair) for pair in pairs]
    return [log_of(value) for value in values if value is not None]


def true_ratio(pairs: Sequence[PairResult], objective: Objective) -> float:
    """Of a whole pool of pairs: the limit that its system sits on exactly. Its exact interval is not asked
    for: that of thousands would take hours.
    """
    logs = np.array(ratios(counted(pairs), objective))
    first, second = np.triu_indices(len(logs))
    return exp(float(np.median((logs[first] + logs[second]) / 2)))


def rate(verdicts: Sequence[Verdict], wanted: Verdict) -> tuple[float, float, float]:
    """The share, with its Wilson interval (95 %)."""
    hits = Counter(verdicts)[wanted]
    return (hits / len(verdicts), *interval(hits, len(verdicts)))
