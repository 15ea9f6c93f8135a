"""However a run ends, its fault is lifted, and its history says so."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.errors import CleanupUnverified
from harness.exit_codes import ExitCode
from harness.judging.history import FaultChanged, Finished
from harness.judging.reading import read_history
from harness.judging.verdict import Verdict, judge
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Phases
from harness.serving.cost_sets import SHIPPED
from harness.serving.memory_site import MemorySite
from harness.verdict_codes import exit_code
from harness.virtual_deployment import deploy_virtual
from policies.call import Call
from policies.outcome import Outcome
from policies.pipeline import Pipeline
from policies.policy import Layer, Next
from scenarios import SCENARIOS

PHASES = Phases(warm_up_s=0.5, baseline_s=2.0, fault_s=2.0, recovery_s=1.0, drain_s=5.0)
MID_FAULT_S = 3.5
DOUBT = "worker-0 does not confirm that its fault is gone"


class Raises(Layer):
    """From the middle of the fault on each call raises `error`."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def run(self, call: Call, next: Next) -> Outcome:
        if asyncio.get_running_loop().time() >= MID_FAULT_S:
            raise self._error
        return await next(call)


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., "asyncio.Task[object]"]:
    def start_run(*layers: Layer, unclean: str = "") -> "asyncio.Task[object]":
        @asynccontextmanager
        async def deploy(*stand: object) -> AsyncIterator[object]:
            async with deploy_virtual(*stand, costs=SHIPPED["tiny_cpu"]) as deployment:
                yield deployment
            if unclean:
                raise CleanupUnverified(unclean)

        scenario = replace(SCENARIOS["slow_worker"], phases=PHASES)
        preset = SimpleNamespace(name="test", build=lambda _workers: Pipeline(layers=layers))
        return asyncio.create_task(run(scenario, preset, 1, deploy, tmp_path / "history.jsonl", NoProgress()))

    return start_run


@pytest.fixture
def healed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Workers whose faults were lifted, in order."""
    seen: list[str] = []
    heal = MemorySite.heal

    async def noted(site: MemorySite) -> None:
        await heal(site)
        seen.append(site.worker)

    monkeypatch.setattr(MemorySite, "heal", noted)
    return seen


def changes(folder: Path) -> list[tuple[bool, bool]]:
    """Of the fault, as the file has them: whether it is on, and whether that was seen."""
    return [(each.active, each.verified) for each in read_history(folder / "history.jsonl").of(FaultChanged)]


# report 11: chaostoolkit-lib#189, chaostoolkit#258
# report 22: jepsen#602
@pytest.mark.parametrize("error", [AssertionError("wrong"), KeyboardInterrupt()], ids=["assertion", "ctrl-c"])
async def test_a_run_that_breaks_amid_the_fault_lifts_it_and_says_so(
    start: Callable, healed: list[str], tmp_path: Path, error: BaseException
) -> None:
    task = start(Raises(error)) if isinstance(error, AssertionError) else start()
    if not isinstance(error, AssertionError):  # how the runner of a loop hands it on
        await asyncio.sleep(MID_FAULT_S)
        task.cancel()
    with pytest.raises((AssertionError, asyncio.CancelledError)):
        await task
    assert healed == ["worker-0"]
    assert changes(tmp_path) == [(True, True), (False, True)]


# report 22: jepsen#602
async def test_each_fault_that_came_is_said_to_have_gone(start: Callable, tmp_path: Path) -> None:
    await start()
    assert changes(tmp_path) == [(True, True), (False, True)]


# report 12: chaostoolkit-lib#94
# report 22: openraft#1934
async def test_a_fault_that_is_not_seen_to_go_ends_no_run_and_makes_it_unclean(
    start: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def in_doubt(site: MemorySite) -> None:
        raise CleanupUnverified(DOUBT)

    monkeypatch.setattr(MemorySite, "heal", in_doubt)
    history = await start()
    assert changes(tmp_path) == [(True, True), (False, False)]
    assert history.records[-1] == Finished(at_s=history.records[-1].at_s, clean=False, note=DOUBT)
    result = judge(history)
    assert result.verdict is not Verdict.PASS
    assert exit_code([result]) is ExitCode.UNCLEAN
    assert any(DOUBT in guard.words for guard in result.guards if not guard.ok)


# report 22: openraft#1934
async def test_an_error_in_tearing_down_costs_no_result(start: Callable, tmp_path: Path) -> None:
    history = await start(unclean="left behind: a proxy")
    assert len(read_history(tmp_path / "history.jsonl").records) == len(history.records) > 500
    result = judge(history)
    assert result.offered > 100
    assert exit_code([result]) is ExitCode.UNCLEAN
