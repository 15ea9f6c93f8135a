"""Pairs in virtual time, several at once. The number of processes changes nothing but the time it takes."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from harness.arms import Arm
from harness.config import make_folder
from harness.experiment import first_of, order, pair_folder, write_pair
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import RunResult
from harness.many_runs import conduct_all
from harness.virtual_run import VirtualRun


class VirtualPair(msgspec.Struct, frozen=True):
    """`run` is the arm with the fault."""

    run: VirtualRun
    number: int

    def conduct(self, folder: Path) -> PairResult:
        """Histories are in `folder`/fault and `folder`/control, the pair beside them."""
        runs = {arm: msgspec.structs.replace(self.run, arm=arm) for arm in order(self.number)}
        histories = {arm: run.make(folder / arm) for arm, run in runs.items()}
        pair = judge_pair(histories[Arm.FAULT], histories[Arm.CONTROL], first_of(self.number))
        fault, control = (
            result.model_copy(update=runs[arm].marks(folder / arm))
            for arm, result in ((Arm.FAULT, pair.fault), (Arm.CONTROL, pair.control))
        )
        pair = pair.model_copy(update={"fault": fault, "control": control})
        write_pair(folder, pair)
        return pair


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualExperiment:
    """`run` has the first seed. `told` hears of each pair that is done."""

    run: VirtualRun
    folder: Path
    jobs: int
    told: Callable[[str], None] = field(default=lambda words: None)

    def pairs(self, first: int, count: int) -> list[PairResult]:
        numbers = range(first, first + count)
        todo = [
            (
                VirtualPair(self._seeded(Arm.FAULT, number), number),
                make_folder(pair_folder(self.folder, number)),
            )
            for number in numbers
        ]
        found: dict[int, PairResult] = {}
        if not todo:
            return []
        with closing(conduct_all(todo, self.jobs)) as conducted:
            for index, pair in conducted:
                found[index] = pair
                self.told(self.run.title)
        return [found[index] for index in range(count)]

    def alone(self, arm: Arm, number: int) -> RunResult:
        return self._seeded(arm, number).conduct(make_folder(self.folder / f"{arm}-{number:02d}"))

    def _seeded(self, arm: Arm, number: int) -> VirtualRun:
        return msgspec.structs.replace(self.run, arm=arm, seed=self.run.seed + number)
