"""Several pairs of one scenario under one preset, judged together."""

from collections.abc import Sequence
from typing import Literal, Self

from harness.judging.agreement import verdict_against
from harness.judging.pairs.across import measures_across
from harness.judging.pairs.loss import widened
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.sound import counted, doubts, enough_count
from harness.judging.result import Guard, Law, Measure, Part, RunResult, Setting, Verdict
from harness.judging.wilson import interval
from harness.judging.wording import evidence, telling


class Share(Part):
    """So many of so many, with the Wilson interval (95 %): near a critical point there is no typical run."""

    hits: int
    of: int
    lower: float
    upper: float


class CellResult(Part):
    """`measures` are those of the pairs together, with two-sided bounds at `confidence`."""

    schema_id: Literal["limplock.cell"] = "limplock.cell"
    schema_version: Literal[1] = 1
    verdict: Verdict
    headline: str
    setting: Setting  # of the first pair, whose seed is the first
    law: Law
    confidence: float
    measures: list[Measure]
    guards: list[Guard]
    spread: Share  # of the pairs that count, by their own verdicts
    pairs: list[PairResult]  # all of them, void ones as well

    def to_json(self) -> str:
        return self.model_dump_json(indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """ValueError, of pydantic's kind, for anything that is not a result of this version."""
        return cls.model_validate_json(text)


def judge_cell(pairs: Sequence[PairResult], error: float) -> CellResult:
    """`error`: of this look, two-sided. ValueError for no pair at all."""
    if not pairs:
        raise ValueError("there is no verdict without a pair")
    sound = counted(pairs)
    together = measures_across([pair.fault.measures for pair in sound], error)
    measures = [widened(measure, sound, error) for measure in together]
    preconditions = [enough_count(pairs), *doubts(pairs)]
    verdict = decide(measures, preconditions)
    spreads = sum(pair.fault.verdict is Verdict.FAIL for pair in sound)
    lower, upper = interval(spreads, len(sound))
    first = pairs[0].fault
    return CellResult(
        verdict=verdict,
        headline=_headline(
            verdict, measures, preconditions, len(sound), faulted=bool(first.setting.faulted_workers)
        ),
        setting=first.setting,
        law=_law([pair.fault for pair in sound] or [first], verdict),
        confidence=1 - error,
        measures=measures,
        guards=preconditions,
        spread=Share(hits=spreads, of=len(sound), lower=lower, upper=upper),
        pairs=list(pairs),
    )


def decide(measures: Sequence[Measure], guards: Sequence[Guard]) -> Verdict:
    """FAIL if one deciding interval is wholly beyond mild, PASS if all are wholly within, else neither."""
    deciding = [measure for measure in measures if measure.deciding]
    if not deciding or any(not guard.ok and guard.voids == "any verdict" for guard in guards):
        return Verdict.INCONCLUSIVE
    if any(measure.proved for measure in deciding):
        return Verdict.FAIL
    inside = all(measure.upper <= measure.mild for measure in deciding)
    return Verdict.PASS if inside and all(guard.ok for guard in guards) else Verdict.INCONCLUSIVE


def _law(results: Sequence[RunResult], verdict: Verdict) -> Law:
    """The first law that its run contradicts; else that of the first run, against the verdict on all."""
    broken_one = next((result.law for result in results if result.law.contradicted), None)
    first, spread = results[0], {Verdict.FAIL: True, Verdict.PASS: False}.get(verdict)
    against = verdict_against(first.law, first.setting.fault_length_s, spread=spread)
    return broken_one or first.law.model_copy(update={"contradicted": against})


def _headline(
    verdict: Verdict, measures: Sequence[Measure], guards: Sequence[Guard], count: int, *, faulted: bool
) -> str:
    deciding = [measure for measure in measures if measure.deciding]
    failed = [guard for guard in guards if not guard.ok]
    if verdict is Verdict.FAIL:
        strongest = telling([measure for measure in deciding if measure.proved])
        return f"pressure spread: {evidence(strongest, paired=faulted)} ({count} pairs)"
    if verdict is Verdict.PASS:
        return f"contained in {count} pairs (worst: {evidence(max(deciding, key=_nearness), paired=faulted)})"
    if failed:
        return f"inconclusive: {failed[0].words}"
    if not deciding:
        return "inconclusive: no bystander was compared in all pairs"
    open_ones = [measure for measure in deciding if measure.upper > measure.mild]
    return f"inconclusive after {count} pairs: {evidence(telling(open_ones), paired=faulted)}"


def _nearness(measure: Measure) -> float:
    """How near a measure is to mild, so that different ones compare; 0 for what either is or is not."""
    return measure.value / measure.mild if measure.mild else 0.0
