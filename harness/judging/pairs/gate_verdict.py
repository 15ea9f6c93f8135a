"""The verdict of a gate: its cells, each judged by all objectives, and one sentence that is enough alone."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from harness.judging.decision import merge
from harness.judging.pairs.cell import CellResult, judge_cell
from harness.judging.pairs.evaluate import evaluate, shared
from harness.judging.pairs.gate_amount import amount_of
from harness.judging.pairs.gate_result import GateCell, ObjectiveResult
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.sound import counted, doubts, enough_count
from harness.judging.result import Guard, Verdict

OF_SPREAD_ALONE = ("asserted", "enough samples")  # objectives assert themselves and count their own samples


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was run for one cell. `baseline`: pairs under its policy, by seed, from whichever job."""

    fault: str
    policy: str
    pairs: Sequence[PairResult]
    baseline: Mapping[int, PairResult]
    baseline_cell: CellResult | None = None


def judge_cells(
    objectives: Sequence[Objective], evidence: Sequence[Evidence], error: float
) -> list[GateCell]:
    """`error`: of this look, two-sided, shared by all blocking objectives of all cells."""
    results = [
        evaluate(
            objective, sound_pairs(each.pairs), error, _by_seed(sound_pairs(list(each.baseline.values())))
        )
        for each in evidence
        for objective in objectives
    ]
    results, count = shared(results, error), len(objectives)
    apart_from = _apart_from(objectives)
    compared = any(each.blocks and each.against == "baseline" for each in objectives)
    return [
        _cell(
            each,
            results[index * count : (index + 1) * count],
            _checks(each.pairs, apart_from) + (_of_baseline(each) if compared else []),
            error,
        )
        for index, each in enumerate(evidence)
    ]


def sound_pairs(pairs: Sequence[PairResult]) -> list[PairResult]:
    """Those that are evidence for a gate."""
    return counted(pairs, OF_SPREAD_ALONE)


def _by_seed(pairs: Sequence[PairResult]) -> dict[int, PairResult]:
    return {pair.seed: pair for pair in pairs}


def _apart_from(objectives: Sequence[Objective]) -> Collection[str]:
    """Figures of bystanders are only known of those that sent enough: who did not must not go unsaid."""
    of_spread = any(each.blocks and each.measured.of == "spread" for each in objectives)
    return OF_SPREAD_ALONE[:1] if of_spread else OF_SPREAD_ALONE


def verdict_of(cells: Sequence[GateCell]) -> Verdict:
    """The worst one: FAIL outranks INCONCLUSIVE. Without a cell nothing was asserted."""
    return merge(*(cell.verdict for cell in cells))


def headline(cells: Sequence[GateCell]) -> str:
    verdict = verdict_of(cells)
    deciding = [(cell, each) for cell in cells for each in cell.objectives if each.blocks]
    if verdict is Verdict.FAIL:
        broken = [(c, o) for c, o in deciding if c.verdict is Verdict.FAIL and o.verdict is Verdict.FAIL]
        return f"{_told(*broken[0], several=len(cells) > 1)}{_more(len(broken) - 1, 'broken')}"
    if verdict is Verdict.PASS:
        return _held(cells, len(deciding))
    doubts = [guard for cell in cells for guard in cell.checks if not guard.ok]
    if doubts:
        return doubts[0].words
    open_ones = [(c, o) for c, o in deciding if o.verdict is Verdict.INCONCLUSIVE]
    if not open_ones:
        return "nothing was asserted"
    cell, first = open_ones[0]
    settle = f"; {first.settle}" if first.settle else ""
    return f"{_told(cell, first, several=len(cells) > 1)}{settle}{_more(len(open_ones) - 1, 'undecided')}"


def _cell(
    evidence: Evidence, objectives: Sequence[ObjectiveResult], checks: Sequence[Guard], error: float
) -> GateCell:
    return GateCell(
        fault=evidence.fault,
        policy=evidence.policy,
        verdict=_verdict(objectives, checks),
        objectives=list(objectives),
        checks=list(checks),
        cell=judge_cell(evidence.pairs, error),
        baseline=evidence.baseline_cell,
    )


def _verdict(objectives: Sequence[ObjectiveResult], checks: Sequence[Guard]) -> Verdict:
    deciding = [each.verdict for each in objectives if each.blocks]
    if not deciding or any(not guard.ok and guard.voids == "any verdict" for guard in checks):
        return Verdict.INCONCLUSIVE
    found = merge(*deciding)
    if found is Verdict.PASS and not all(guard.ok for guard in checks):
        return Verdict.INCONCLUSIVE
    return found


def _checks(pairs: Sequence[PairResult], apart_from: Collection[str]) -> list[Guard]:
    """Enough pairs count, and what speaks against a pass in any of them speaks against it in all."""
    doubtful = {guard.name: guard for guard in doubts(pairs, apart_from)}
    first = next(iter(counted(pairs, apart_from)), None)
    held = [guard for guard in (first.fault.guards if first else []) if guard.name not in apart_from]
    return [enough_count(pairs, apart_from), *(doubtful.get(guard.name, guard) for guard in held)]


def _of_baseline(evidence: Evidence) -> list[Guard]:
    """Enough pairs of the baseline count, of the seeds that the candidate has as well."""
    beside = [evidence.baseline[pair.seed] for pair in evidence.pairs if pair.seed in evidence.baseline]
    if not beside:
        return []  # then there is no figure either
    count = enough_count(beside, OF_SPREAD_ALONE)
    update = {"name": "pairs of the baseline that count", "words": f"under the baseline {count.words}"}
    return [count.model_copy(update=update)]


def _told(cell: GateCell, result: ObjectiveResult, *, several: bool) -> str:
    """`slow_steps(factor=10): contained, ttft_s.p99_all of chat during fault x3.42, limit x1.5`."""
    limit = amount_of(result.limit, result.unit)
    figure = amount_of(result.value, result.unit)
    against = f" vs {result.bound.rpartition('_')[2]}" if "_vs_" in result.bound else ""
    side = "at most" if result.bound.startswith("max") else "at least"
    words = f"{result.id}: {result.words} {figure}{against}, limit {side} {limit}"
    words += f" ({result.why})" if result.why else ""
    return f"{cell.fault}: {words}" if several and cell.fault else words


def _held(cells: Sequence[GateCell], count: int) -> str:
    pairs = min(len(cell.cell.pairs) for cell in cells)
    faults = f" under each of {len(cells)} faults" if len(cells) > 1 else ""
    each = count // len(cells)
    return f"{each} blocking objective{'s' * (each != 1)} hold{'s' * (each == 1)}{faults} in {pairs} pairs"


def _more(count: int, word: str) -> str:
    return f"; {count} more {word}" if count > 0 else ""
