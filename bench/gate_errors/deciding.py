"""A gate on pairs that are there: `limplock gate`'s own looks, stops and verdict, with nothing run for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.arms import Arm
from harness.gating.conduct import Gate
from harness.gating.plan import Plan
from harness.gating.rounds import Cell
from harness.judging.pairs.gate_verdict import headline, verdict_of
from harness.judging.pairs.pair import PairResult
from harness.judging.result import RunResult, Verdict


@dataclass(frozen=True, slots=True)
class Decision:
    """`pairs`: how many it took."""

    verdict: Verdict
    pairs: int
    words: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """The rounds of a gate whose pairs were run before."""

    pairs: Sequence[PairResult]

    def run(self, cells: Sequence[Cell], first: int, count: int) -> dict[Cell, list[PairResult]]:
        return {cell: list(self.pairs[first : first + count]) for cell in cells}

    def alone(self, cell: Cell, arm: Arm, numbers: Sequence[int]) -> list[RunResult]:
        raise LookupError(f"{arm} of {cell.policy} was never run: a decision has pairs alone")


def decide(pairs: Sequence[PairResult], plan: Plan) -> Decision:
    """`pairs`: as many as the last look needs, each of another seed."""
    cells = Gate(plan=plan, rounds=Drawn(pairs)).cells()
    return Decision(verdict_of(cells), len(cells[0].cell.pairs), headline(cells))
