"""Pairs on real processes, one run at a time: two at once would disturb each other."""

from dataclasses import dataclass, replace
from pathlib import Path

from harness.arms import Arm
from harness.config import make_folder
from harness.experiment import first_of, order, pair_folder, write_pair
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import RunResult
from harness.judging.verdict import judge
from harness.real_deployment import Options
from harness.reporting.progress import Progress
from harness.results import write_result
from harness.suite import Planned, make_history


@dataclass(frozen=True, slots=True, kw_only=True)
class RealExperiment:
    """`planned` is the arm with the fault, `seed` that of the first pair."""

    planned: Planned
    seed: int
    options: Options
    folder: Path

    def pairs(self, first: int, count: int) -> list[PairResult]:
        return [self._pair(number) for number in range(first, first + count)]

    def alone(self, arm: Arm, number: int) -> RunResult:
        where = make_folder(self.folder / f"{arm}-{number:02d}")
        with Progress() as progress:
            planned = replace(self.planned, arm=arm)
            result = judge(make_history(planned, self.seed + number, self.options, where, progress))
            progress.finish(result.headline)
        write_result(where, result)
        return result

    def _pair(self, number: int) -> PairResult:
        where = make_folder(pair_folder(self.folder, number))
        histories = {}
        with Progress() as progress:
            for arm in order(number):
                planned = replace(self.planned, arm=arm)
                folder = make_folder(where / arm)
                said = f"pair {number + 1}: "
                histories[arm] = make_history(
                    planned, self.seed + number, self.options, folder, progress, said
                )
            pair = judge_pair(histories[Arm.FAULT], histories[Arm.CONTROL], first_of(number))
            progress.finish(pair.fault.headline)
        write_pair(where, pair)
        return pair
