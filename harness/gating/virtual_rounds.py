"""Rounds in virtual time, several at once. The number of processes changes nothing but the time it takes."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from harness.arms import Arm
from harness.config import make_folder
from harness.gating.gate_file import StopIf
from harness.gating.rounds import Cell, alone_folder, by_policy, round_folder
from harness.judging.pairs.pair import PairResult
from harness.judging.result import RunResult
from harness.many_runs import conduct_all
from harness.virtual_round import VirtualRound
from harness.virtual_run import VirtualRun


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualRounds:
    """`run_of`: of a cell the run with the fault and the first seed. `told` hears of each round done."""

    run_of: Callable[[Cell], VirtualRun]
    folder: Path
    jobs: int
    guards: tuple[StopIf, ...] = ()
    told: Callable[[str], None] = field(default=lambda words: None)

    def run(self, cells: Sequence[Cell], first: int, count: int) -> dict[Cell, list[PairResult]]:
        groups = by_policy(cells)
        keys = [(policy, number) for number in range(first, first + count) for policy in groups]
        todo = [
            (
                VirtualRound(
                    tuple(self._seeded(cell, number) for cell in groups[policy]), number, self.guards
                ),
                make_folder(round_folder(self.folder, policy, number)),
            )
            for policy, number in keys
        ]
        found: dict[tuple[str, int], list[PairResult]] = {}
        with closing(conduct_all(todo, self.jobs)) as conducted:
            for index, result in conducted:
                found[keys[index]] = result.pairs
                policy, number = keys[index]
                self.told(f"pair {number + 1} of {first + count} under {policy}")
        return {
            cell: [found[policy, number][place] for number in range(first, first + count)]
            for policy, group in groups.items()
            for place, cell in enumerate(group)
        }

    def alone(self, cell: Cell, arm: Arm, numbers: Sequence[int]) -> list[RunResult]:
        todo = [
            (
                msgspec.structs.replace(self._seeded(cell, number), arm=arm),
                make_folder(alone_folder(self.folder, cell, arm, number)),
            )
            for number in numbers
        ]
        with closing(conduct_all(todo, self.jobs)) as conducted:
            found = dict(conducted)
        return [found[index] for index in range(len(todo))]

    def _seeded(self, cell: Cell, number: int) -> VirtualRun:
        run = self.run_of(cell)
        return msgspec.structs.replace(run, seed=run.seed + number)
