"""What `limplock.run` gives a test: pairs of runs, judged together, and where their files are."""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from harness.arms import Arm
from harness.gating.rounds import Cell, fault_name, round_folder
from harness.judging.pairs.cell import CellResult
from harness.judging.pairs.pair import PairResult
from harness.judging.result import RunResult, Trend, Verdict
from harness.results import HISTORY
from harness.scenario import Scenario

Engine = Literal["virtual", "torch"]
Row = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TestedRun:
    """One scenario under one policy. `scenario` is as it was run: its size, its rates, its fault."""

    __test__ = False  # pytest takes what is called Test... for tests

    title: str
    engine: Engine
    scenario: Scenario
    key: Cell
    cell: CellResult
    folder: Path

    def __repr__(self) -> str:
        return f"<{self.title}: {self.verdict}>"

    @property
    def verdict(self) -> Verdict:
        return self.cell.verdict

    @property
    def headline(self) -> str:
        return self.cell.headline

    @property
    def pairs(self) -> list[PairResult]:
        return self.cell.pairs

    def history(self, number: int, arm: Arm = Arm.FAULT) -> Path:
        """The file with everything that happened in one arm of pair `number`, from 0 on."""
        name = fault_name(self.key.fault) if arm is Arm.FAULT else arm
        return round_folder(self.folder, self.key.policy, number) / name / HISTORY

    def rows(self) -> list[Row]:
        """Every figure of every pair, one a row."""
        return [
            {"pair": number, "seed": pair.seed, "arm": str(arm), **row}
            for number, pair in enumerate(self.pairs)
            for arm, result in ((Arm.FAULT, pair.fault), (Arm.CONTROL, pair.control))
            for row in _rows(result)
        ]

    def frame(self) -> Any:
        """`rows` as a pandas DataFrame where pandas is installed, else as they are."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            return self.rows()
        return pandas.DataFrame(self.rows())


def _rows(result: RunResult) -> Iterator[Row]:
    for name, trend in result.metrics.items():
        yield _row("", "run", name, trend)
    for caller in result.callers:
        for name, trend in caller.metrics.items():
            yield _row(caller.name, "caller", name, trend)
    for place in result.places:
        for name, trend in place.metrics.items():
            yield _row(place.name, place.kind, name, trend)


def _row(of: str, kind: str, metric: str, trend: Trend) -> Row:
    return {"of": of, "kind": kind, "metric": metric, **trend.model_dump()}
