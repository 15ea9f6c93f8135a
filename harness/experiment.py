"""Pairs of runs, one after another: the fault and its control, in alternating order."""

from pathlib import Path
from typing import Protocol

from harness.arms import Arm
from harness.judging.pairs.pair import First, PairResult
from harness.judging.result import RunResult
from harness.results import write_text

PAIR = "pair.json"


class Experiment(Protocol):
    """One scenario under one preset, real or virtual."""

    def pairs(self, first: int, count: int) -> list[PairResult]:
        """`count` pairs from number `first` on; a pair's seed is the first seed plus its number."""
        ...

    def alone(self, arm: Arm, number: int) -> RunResult:
        """One run of another arm, with the seed of pair `number`."""
        ...


def order(number: int) -> tuple[Arm, Arm]:
    """Which arm of pair `number` runs first: alternating (ABBA), so that a drift harms neither."""
    return (Arm.FAULT, Arm.CONTROL) if number % 2 else (Arm.CONTROL, Arm.FAULT)


def first_of(number: int) -> First:
    return "fault" if number % 2 else "control"


def pair_folder(folder: Path, number: int) -> Path:
    return folder / f"pair-{number:02d}"


def write_pair(folder: Path, pair: PairResult) -> None:
    write_text(folder / PAIR, pair.model_dump_json(indent=2) + "\n")
