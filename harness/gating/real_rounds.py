"""Rounds on real processes, one run at a time: two at once would disturb each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.arms import Arm, control_names
from harness.config import make_folder
from harness.gating.gate_file import StopIf
from harness.gating.rounds import (
    Cell,
    alone_folder,
    by_policy,
    fault_name,
    first_of,
    round_folder,
    write_pair,
)
from harness.gating.stop import guarded
from harness.judging.history import History
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import RunResult
from harness.judging.verdict import judge
from harness.real_deployment import Options
from harness.reporting.progress import Progress
from harness.results import write_result
from harness.suite import Planned, make_history

Step = tuple[Arm, Cell, str]  # which run comes next; of a control the first cell that it serves, and its name


@dataclass(frozen=True, slots=True, kw_only=True)
class RealRounds:
    """`plan_of`: of a cell the run with the fault. `seed`: of the first pair."""

    plan_of: Callable[[Cell], Planned]
    seed: int
    options: Options
    folder: Path
    guards: Sequence[StopIf] = ()

    def run(self, cells: Sequence[Cell], first: int, count: int) -> dict[Cell, list[PairResult]]:
        found: dict[Cell, list[PairResult]] = {cell: [] for cell in cells}
        for number in range(first, first + count):
            groups = list(by_policy(cells).items())
            for policy, group in reversed(groups) if number % 2 else groups:
                where = make_folder(round_folder(self.folder, policy, number))
                for cell, pair in self._round(group, number, first + count, where).items():
                    found[cell].append(pair)
        return found

    def _round(self, cells: Sequence[Cell], number: int, of: int, where: Path) -> dict[Cell, PairResult]:
        """All runs of one policy with one seed. The controls come first or last, in turns.

        `of`: how many pairs there are to be then.
        """
        said = f"pair {number + 1} of {of}"
        names = control_names([self.plan_of(cell).scenario for cell in cells])
        histories: dict[tuple[Arm, str], History] = {}
        with Progress() as progress:
            for arm, cell, name in _order(cells, names, number):
                histories[arm, name] = self._history(cell, arm, number, where / name, progress, said)
            pairs = {}
            for cell, beside in zip(cells, names, strict=True):
                name = fault_name(cell.fault)
                pair = judge_pair(
                    histories[Arm.FAULT, name], histories[Arm.CONTROL, beside], first_of(number)
                )
                write_pair(where / name, pair)
                progress.finish(pair.fault.headline)
                pairs[cell] = pair
        return pairs

    def alone(self, cell: Cell, arm: Arm, numbers: Sequence[int]) -> list[RunResult]:
        found = []
        for number in numbers:
            where = alone_folder(self.folder, cell, arm, number)
            with Progress() as progress:
                said = f"pair {number + 1}"
                result = judge(self._history(cell, arm, number, where, progress, said))
                progress.finish(result.headline)
            write_result(where, result)
            found.append(result)
        return found

    def _history(
        self, cell: Cell, arm: Arm, number: int, where: Path, progress: Progress, said: str
    ) -> History:
        return make_history(
            replace(self.plan_of(cell), arm=arm),
            self.seed + number,
            self.options,
            make_folder(where),
            progress,
            f"{said}: ",
            guarded(self.guards),
        )


def _order(cells: Sequence[Cell], names: Sequence[str], number: int) -> list[Step]:
    """ABBA: what drifts meets fault and control alike over two rounds."""
    controls = dict(zip(reversed(names), reversed(cells), strict=True))
    steps: list[Step] = [(Arm.CONTROL, controls[name], name) for name in dict.fromkeys(names)]
    steps += [(Arm.FAULT, cell, fault_name(cell.fault)) for cell in cells]
    return steps[::-1] if number % 2 else steps
