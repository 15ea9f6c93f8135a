"""How much of what any client policy could save a policy saves: its score over several pairs.

score = (goodput under the candidate - goodput without a policy) / (goodput with the faulted worker removed -
goodput without a policy), each of all callers during the fault. 0 is as bad as no policy, 1 as good as
knowing which worker is slow. Where the system without that worker misses an objective, or is itself beyond
what counts as mild, the answer is UNDERSIZED: no client policy can help.
"""

from collections.abc import Sequence
from math import exp, isinf
from statistics import median
from typing import Literal

from harness.judging.bystanders import INFLATION, LATENCY_FLOOR_S, LOSS
from harness.judging.figures import seconds, share
from harness.judging.pairs.across import log_of
from harness.judging.pairs.gate_amount import amount_of
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.own_control import missed_by
from harness.judging.pairs.signed_rank import Estimate, estimate
from harness.judging.result import Caller, Part, RunResult

NOTHING_RATIO = 0.005  # of all requests; a policy that could save no more has nothing to save
LATENCY = "e2e_s.p50_all"

Answer = Literal["scored", "undersized", "undefined"]


class PolicyScore(Part):
    """The figures are None where there is no score. `pairs`: how many had anything to save."""

    answer: Answer
    words: str
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    pairs: int = 0


def policy_score(
    candidate: Sequence[RunResult],
    none: Sequence[RunResult],
    removed: Sequence[RunResult],
    control: Sequence[RunResult],
    error: float,
    objectives: Sequence[Objective] = (),
) -> PolicyScore:
    """One run an arm of each pair: `candidate` and `none` with the fault, `removed` and `control` without it.

    Of the `objectives` those that block and are absolute are asked of `removed` as well.
    `error`: of the intervals, two-sided. ValueError if the arms do not have one run each of every pair.
    """
    if len({len(runs) for runs in (candidate, none, removed, control)}) != 1 or not candidate:
        raise ValueError("a score needs as many runs of each arm, and at least one")
    worker = _worker(candidate[0])
    why = _missed(removed, objectives, worker) or _undersized(removed, control, error, worker)
    if why:
        return PolicyScore(answer="undersized", words=f"UNDERSIZED: {why}: no client policy can help")
    arms = zip(map(goodput, candidate), map(goodput, none), map(goodput, removed), strict=True)
    values = [(got - bad) / (best - bad) for got, bad, best in arms if best - bad > NOTHING_RATIO]
    if 2 * len(values) < len(candidate):
        words = f"no score: without a policy as much is answered in time as with {worker} removed"
        return PolicyScore(answer="undefined", words=words)
    found = estimate(values, error)
    return PolicyScore(
        answer="scored",
        words=_words(found, worker),
        value=found.centre,
        lower=found.lower,
        upper=found.upper,
        pairs=found.count,
    )


def goodput(result: RunResult) -> float:
    """The share of the requests of all callers that were good during the fault, or in its place."""
    counts = [(_during(caller, "goodput_ratio"), _during(caller, "offered")) for caller in result.callers]
    offered = sum(count for _, count in counts)
    return sum(ratio * count for ratio, count in counts) / offered if offered else 0.0


def _missed(removed: Sequence[RunResult], objectives: Sequence[Objective], worker: str) -> str:
    """The first objective that even the system without the worker does not keep."""
    for each in objectives:
        value = missed_by(removed, each) if each.blocks else None
        if value is not None:
            return f"with {worker} removed it misses {each.id}: {each.words} {amount_of(value, each.unit)}"
    return ""


def _undersized(removed: Sequence[RunResult], control: Sequence[RunResult], error: float, worker: str) -> str:
    """Why the system without the worker is too small; empty if it is not, beyond doubt."""
    for name in [caller.name for caller in control[0].callers]:
        both = [(_caller(c, name), _caller(r, name)) for c, r in zip(control, removed, strict=True)]
        words = _lost(both, error) or _slower(both, error)
        if words:
            return f"with {worker} removed {name} {words}"
    return ""


def _lost(both: Sequence[tuple[Caller, Caller]], error: float) -> str:
    """How a caller's goodput fell by more than is mild, by the interval over the pairs."""
    shares = [(_during(was, "goodput_ratio"), _during(now, "goodput_ratio")) for was, now in both]
    found = estimate([1 - now / was if was else 0.0 for was, now in shares], error)
    if found.lower <= LOSS[0]:
        return ""
    was, now = (median(column) for column in zip(*shares, strict=True))
    return f"has {share(now)} of its answers in time, {share(was)} with it"


def _slower(both: Sequence[tuple[Caller, Caller]], error: float) -> str:
    """How a caller's median latency rose by more than is mild."""
    times = [(_during(was, LATENCY), _during(now, LATENCY)) for was, now in both]
    found = estimate([log_of(_inflation(was, now)) for was, now in times], error)
    if exp(found.lower) <= INFLATION[0]:
        return ""
    was, now = (median(column) for column in zip(*times, strict=True))
    return f"waits {seconds(now)}, {seconds(was)} with it"


def _inflation(was_s: float, now_s: float) -> float:
    both = isinf(was_s) and isinf(now_s)
    return 1.0 if both else (now_s + LATENCY_FLOOR_S) / (was_s + LATENCY_FLOOR_S)


def _words(found: Estimate, worker: str) -> str:
    bounds = f"[{found.lower:.2f}..{found.upper:.2f}]"
    pairs = "1 pair" if found.count == 1 else f"{found.count} pairs"
    return f"score {found.centre:.2f} {bounds}, where 0 is no policy and 1 is {worker} removed ({pairs})"


def _worker(result: RunResult) -> str:
    workers = result.setting.faulted_workers
    return workers[0] if len(workers) == 1 else "the faulted workers"


def _caller(result: RunResult, name: str) -> Caller:
    return next(caller for caller in result.callers if caller.name == name)


def _during(caller: Caller, metric: str) -> float:
    """0 where there were too few requests for a figure."""
    return caller.metrics[metric].during or 0.0
