"""A gate from its plan to its result: rounds until all cells are decided, the looks sharing the error."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from harness.gating.baseline import Stored
from harness.gating.machine import this_machine
from harness.gating.plan import Plan
from harness.gating.rounds import Cell, Rounds
from harness.judging.pairs.cell import judge_cell
from harness.judging.pairs.gate_result import GateCell, GateResult
from harness.judging.pairs.gate_verdict import Evidence, headline, judge_cells, verdict_of
from harness.judging.pairs.pair import PairResult
from harness.judging.result import Verdict

Pairs = Mapping[Cell, Sequence[PairResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """`rounds` run what `plan` says. `stored`: the baseline's pairs of an earlier job, if it has those.

    `told` hears what each look found.
    """

    plan: Plan
    rounds: Rounds
    stored: Stored | None = None
    told: Callable[[str], None] = field(default=lambda words: None)

    def cells(self) -> list[GateCell]:
        """All cells, judged. A cell that is decided is not run again, and none is once one has failed."""
        looks, pairs = self.plan.looks, dict[Cell, list[PairResult]]()
        undecided = self.plan.candidate
        done, cells = 0, list[GateCell]()
        for after in looks.after:
            for cell, more in self.rounds.run(self._with_baseline(undecided), done, after - done).items():
                pairs.setdefault(cell, []).extend(more)
            done = after
            cells = judge_cells(self.plan.gate.objectives, self._evidence(pairs), looks.error_each)
            both = zip(self.plan.candidate, cells, strict=True)
            undecided = [cell for cell, judged in both if more_may_tell(judged)]
            self.told(f"after {after} pairs: {verdict_of(cells)}, {headline(cells)}")
            if not undecided or verdict_of(cells) is Verdict.FAIL:
                break
        return cells

    def _with_baseline(self, cells: Sequence[Cell]) -> list[Cell]:
        faults = {cell.fault for cell in cells}
        return list(dict.fromkeys([*cells, *(c for c in self.plan.baseline if c.fault in faults)]))

    def _evidence(self, pairs: Pairs) -> list[Evidence]:
        return [self._of_cell(cell, pairs) for cell in self.plan.candidate]

    def _of_cell(self, cell: Cell, pairs: Pairs) -> Evidence:
        beside = next((pairs[other] for other in self.plan.baseline if other.fault == cell.fault), [])
        baseline: Mapping[int, PairResult] = {pair.seed: pair for pair in beside}
        if self.stored is not None:
            baseline = self.stored.pairs(cell.fault)
        return Evidence(
            fault=cell.fault or pairs[cell][0].fault.setting.fault_text,
            policy=cell.policy,
            pairs=pairs[cell],
            baseline=baseline,
            baseline_cell=judge_cell(beside, self.plan.looks.error_each) if beside else None,
        )


def more_may_tell(cell: GateCell) -> bool:
    """Whether further pairs could decide it: not where a figure or a precondition is wanting."""
    if cell.verdict is not Verdict.INCONCLUSIVE:
        return False
    undecided = [each for each in cell.objectives if each.blocks and each.verdict is Verdict.INCONCLUSIVE]
    lacking = any(each.value is None for each in undecided)
    barred = any(not guard.ok and guard.voids == "a pass" for guard in cell.checks)
    return not lacking and not (barred and not undecided)


def result_of(plan: Plan, cells: Sequence[GateCell], load: str, notes: Sequence[str]) -> GateResult:
    gate = plan.gate
    return GateResult(
        verdict=verdict_of(cells),
        headline=headline(cells),
        file=str(gate.path),
        engine=gate.engine,
        version=version("limplock"),
        scenario=gate.scenario,
        policy=plan.candidate[0].policy,
        baseline=_baseline(plan),
        seed=gate.seed,
        load=load,
        costs=plan.chosen.costs.name if not plan.real else "",
        machine=this_machine() if plan.real else None,
        looks=list(plan.looks.after),
        error_each=plan.looks.error_each,
        cells=list(cells),
        clean=all(pair.fault.clean and pair.control.clean for cell in cells for pair in _all_pairs(cell)),
        notes=list(notes),
    )


def _all_pairs(cell: GateCell) -> list[PairResult]:
    """Of this job: the candidate's, and those of a baseline that was measured beside it."""
    return [*cell.cell.pairs, *(cell.baseline.pairs if cell.baseline else [])]


def _baseline(plan: Plan) -> str:
    given = plan.gate.baseline
    if given is None:
        return ""
    return str(given.result) if given.result is not None else given.policy
