"""Tested runs without a run: synthetic pairs, several by their seeds, and figures that are set by hand."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

import scenarios
from harness.gating.rounds import Cell
from harness.judging.history import History
from harness.judging.pairs.cell import judge_cell
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import RunResult
from harness.testing import conducting
from harness.testing.conducting import Asked
from harness.testing.tested_run import TestedRun
from tests.harness.judging.synthetic import CONTAINED, simulate

CONTAINS = "contain"  # the preset of which bystanders of a made run feel nothing
P95 = "ttft_s.p95_all"


@cache
def pair(*, contained: bool) -> PairResult:
    plan = CONTAINED if contained else {}
    fault = simulate(**plan)
    setup, *rest = simulate(**{**plan, "kind": None}).records
    control = History([msgspec.structs.replace(setup, scenario=fault.setup.scenario), *rest])
    return judge_pair(fault, control)


def pairs(
    count: int, *, contained: bool = True, during: Sequence[float] = (1.0,), replay: str = "lp1-made"
) -> list[PairResult]:
    """Alike but for their seeds and for chat's time to the first token, which is as given, in turns."""
    return [_numbered(pair(contained=contained), n, during[n % len(during)], replay) for n in range(count)]


def as_run(found: list[PairResult], folder: Path, title: str = "slow_worker x made") -> TestedRun:
    return TestedRun(
        title=title,
        engine="virtual",
        scenario=scenarios.SCENARIOS["slow_worker"],
        key=Cell("none", ""),
        cell=judge_cell(found, conducting.ERROR),
        folder=folder,
    )


def conduct(asked: Asked, folder: Path) -> TestedRun:
    """In place of the real one: what the policy is called says what comes out."""
    contained, during = (
        asked.policy != "none",
        {"libraries": (1.0, 2.0, 0.5, 1.9)}.get(str(asked.policy), (1.0,)),
    )
    found = pairs(asked.seeds, contained=contained, during=during)
    if not contained:
        write_history(folder, 0)  # of several that are alike the first one is told
    return as_run(found, folder, f"{asked.written.name} x {asked.preset}")


def write_history(folder: Path, number: int) -> None:
    path = folder / "none" / f"pair-{number:02d}" / "fault" / "history.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in _spread_history().records))


@cache
def _spread_history():
    return simulate()


def _numbered(one: PairResult, number: int, during: float, replay: str) -> PairResult:
    fault = _with_ttft(one.fault, during).model_copy(update={"replay": f"{replay}{number}"})
    return one.model_copy(
        update={"seed": 1 + number, "fault": fault, "control": _with_ttft(one.control, 1.0)}
    )


def _with_ttft(result: RunResult, seconds: float) -> RunResult:
    callers = [
        caller.model_copy(update={"metrics": {**caller.metrics, P95: _set(caller.metrics[P95], seconds)}})
        if caller.name == "chat"
        else caller
        for caller in result.callers
    ]
    return result.model_copy(update={"callers": callers})


def _set(trend, seconds: float):
    return trend.model_copy(update={"before": 1.0, "during": seconds})
