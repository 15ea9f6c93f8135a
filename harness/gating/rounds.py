"""Rounds of pairs: each has one pair of every cell, so that what drifts meets all cells alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.arms import Arm
from harness.judging.pairs.pair import First, PairResult
from harness.judging.result import RunResult
from harness.results import file_name, write_text

PAIR = "pair.json"


@dataclass(frozen=True, slots=True)
class Cell:
    """One policy under one fault. `fault` empty: the scenario's own."""

    policy: str
    fault: str


class Rounds(Protocol):
    """Runs real or virtual pairs."""

    def run(self, cells: Sequence[Cell], first: int, count: int) -> dict[Cell, list[PairResult]]:
        """`count` pairs of each cell from number `first` on. Cells of one policy share their controls."""
        ...

    def alone(self, cell: Cell, arm: Arm, numbers: Sequence[int]) -> list[RunResult]:
        """Another arm of a cell, one run with the seed of each pair."""
        ...


def by_policy(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    """In the order of the cells."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.policy, []).append(cell)
    return found


def round_folder(folder: Path, policy: str, number: int) -> Path:
    return folder / file_name(policy) / f"pair-{number:02d}"


def fault_name(fault: str) -> str:
    """The folder of a run with that fault; empty is the scenario's own."""
    return f"fault.{file_name(fault)}" if fault else "fault"


def alone_folder(folder: Path, cell: Cell, arm: Arm, number: int) -> Path:
    return round_folder(folder, cell.policy, number) / f"{arm}.{file_name(cell.fault or 'own')}"


def first_of(number: int) -> First:
    """Which arm of pair `number` runs first: in turns (ABBA), so that a drift harms neither."""
    return "fault" if number % 2 else "control"


def write_pair(folder: Path, pair: PairResult) -> None:
    write_text(folder / PAIR, pair.model_dump_json(indent=2) + "\n")
