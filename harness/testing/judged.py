"""Expectations judged: against the verdict on spread, or as a gate judges its objectives."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from harness.judging.pairs.evaluate import evaluate, shared
from harness.judging.pairs.gate_result import ObjectiveResult
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.sound import broken
from harness.judging.result import Guard, Measure, Verdict
from harness.judging.wording import telling
from harness.testing.expectation import Expectation
from harness.testing.tested_run import TestedRun
from harness.testing.words import figures, spread_figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One expectation of `run`. `figures`: for people; the numbers are None where there are none.

    Attributes:
        pair: the number of the pair that speaks most against it.
        about_spread: it is the verdict on spread that was expected.
    """

    run: TestedRun
    words: str
    verdict: Verdict
    figures: str
    pair: int
    about_spread: bool = False
    value: float | None = None
    lower: float | None = None
    upper: float | None = None


def judge_all(expectations: Sequence[Expectation]) -> list[Judged]:
    """All of one test: that any of them is called broken by chance is no likelier than for a single one."""
    found = [judged for each in expectations for judged in _spread(each)]
    bounds = [(each.run, objective) for each in expectations for objective in each.objectives]
    results = [evaluate(objective, sound(run), error_of(run)) for run, objective in bounds]
    error = min((error_of(run) for run, _ in bounds), default=0.0)
    judged = zip(bounds, shared(results, error), strict=True)
    return [*found, *(_doubted(_judged(run, result)) for (run, _), result in judged)]


def error_of(run: TestedRun) -> float:
    """Two-sided."""
    return 1 - run.cell.confidence


def sound(run: TestedRun) -> list[PairResult]:
    """The pairs that are evidence."""
    return [run.pairs[number] for number in _numbers(run)]


def _numbers(run: TestedRun) -> list[int]:
    return [number for number, pair in enumerate(run.pairs) if not broken(pair)]


def _spread(expectation: Expectation) -> Iterator[Judged]:
    if expectation.wanted is None:
        return
    cell = expectation.run.cell
    worst = _headlined(cell.measures)
    opposite = cell.verdict is not Verdict.INCONCLUSIVE and cell.verdict is not expectation.wanted
    verdict = Verdict.FAIL if opposite else cell.verdict
    yield Judged(
        run=expectation.run,
        words="contained" if expectation.wanted is Verdict.PASS else "spreads",
        verdict=Verdict.PASS if cell.verdict is expectation.wanted else verdict,
        figures=spread_figures(cell, worst),
        pair=_most_spread(expectation.run),
        about_spread=True,
        value=worst.value if worst else None,
        lower=worst.lower if worst else None,
        upper=worst.upper if worst else None,
    )


def _judged(run: TestedRun, result: ObjectiveResult) -> Judged:
    return Judged(
        run=run,
        words=result.words,
        verdict=result.verdict,
        figures=figures(result),
        pair=_speaks_against(run, result),
        value=result.value,
        lower=result.lower,
        upper=result.upper,
    )


def _doubted(judged: Judged) -> Judged:
    """What speaks against any verdict speaks against this one, and what against a pass against a pass."""
    guard = next((g for g in judged.run.cell.guards if not g.ok and _voids(g, judged.verdict)), None)
    if guard is None:
        return judged
    return replace(
        judged, verdict=Verdict.INCONCLUSIVE, figures=f"{judged.figures}; {guard.name}: {guard.words}"
    )


def _voids(guard: Guard, verdict: Verdict) -> bool:
    return verdict is Verdict.PASS or (verdict is Verdict.FAIL and guard.voids == "any verdict")


def _most_spread(run: TestedRun) -> int:
    """The pair in which a bystander suffered most."""
    return max(
        range(len(run.pairs)),
        key=lambda n: max((_nearness(m) for m in run.pairs[n].fault.measures if m.deciding), default=0.0),
    )


def _headlined(measures: Sequence[Measure]) -> Measure | None:
    """The one that the headline is about."""
    deciding = [measure for measure in measures if measure.deciding]
    proved = [measure for measure in deciding if measure.proved]
    return telling(proved) if proved else max(deciding, key=_nearness, default=None)


def _nearness(measure: Measure) -> float:
    """How near a measure is to mild, so that different ones compare; 0 for what either is or is not."""
    return measure.value / measure.mild if measure.mild else 0.0


def _speaks_against(run: TestedRun, result: ObjectiveResult) -> int:
    """One without the figure before any that has it."""
    numbers = _numbers(run)
    if not numbers or not result.each:
        return 0
    sign = 1 if result.bound.startswith("max") else -1
    ranked = [
        (value is None, sign * (value or 0.0), number)
        for value, number in zip(result.each.values(), numbers, strict=True)
    ]
    return max(ranked)[2]
