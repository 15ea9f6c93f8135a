"""Runs that cost nothing: their verdict follows from the cell."""

from pathlib import Path

import pytest

from harness.interrupts import Interrupted
from harness.judging.result import Verdict
from harness.sweeping import sweep
from harness.virtual_run import VirtualRun
from tests.harness.judging.synthetic import judged

EDGE = 4.2  # the factor from which everything spreads at load 0.3


class Runs:
    """Takes the place of `conduct_all`. Ends with `stop_with` before run number `stop_at`."""

    def __init__(self) -> None:
        self.done: list[VirtualRun] = []
        self.folders: list[Path] = []
        self.stop_at, self.stop_with = 10**9, Interrupted
        self.decides = True

    def __call__(self, places, jobs):
        for index, (run, folder) in enumerate(places):
            if len(self.done) == self.stop_at:
                raise self.stop_with("stopped")
            self.done.append(run)
            self.folders.append(folder)
            folder.mkdir(parents=True)
            (folder / "history.jsonl").write_text("")
            yield index, self.result(run)

    def result(self, run):
        spread = run.fleet.factor * run.fleet.load / 0.3 >= EDGE
        verdict = Verdict.FAIL if spread else Verdict.PASS
        return judged().model_copy(
            update={"verdict": verdict if self.decides else Verdict.INCONCLUSIVE, "replay": run.token()}
        )

    def asked(self):
        return [(run.fleet.factor, run.seed) for run in self.done]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    fake = Runs()
    monkeypatch.setattr(sweep, "conduct_all", fake)
    return fake


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"
