"""What public reports say went wrong elsewhere, as whole virtual runs with faults."""

from pathlib import Path

import pytest

from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.judging.brief import during
from harness.judging.history import Attempted
from harness.judging.reading import read_history
from harness.judging.result import RunResult, Verdict
from harness.judging.severity import not_monotonic
from harness.results import HISTORY
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun

TIMEOUT = "timeout(ttft=inf, itl=inf, attempt=2, total=inf)"


def conduct(folder: Path, preset: str, fault: str, seed: int = 1) -> RunResult:
    run = VirtualRun(scenario="slow_worker", preset=preset, seed=seed, costs=TINY_CPU, fault=fault)
    return run.conduct(folder)


# report 15: litmus#5351
def test_a_timeout_under_a_fault_is_an_outcome_of_the_caller_and_no_error_of_the_tool(tmp_path: Path) -> None:
    result = conduct(tmp_path, "timeout", "link_black_hole()")
    assert result.outcomes["timeout"] > 50
    assert sum(result.outcomes.values()) == result.offered
    assert result.outcomes.get("error", 0) <= 5  # those under way when it heals, whose answer is lost
    assert result.verdict is Verdict.PASS
    assert result.causes[0].by == "timeout"


# report 15: litmus#5351
def test_a_defect_of_the_tool_is_no_outcome_and_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> RunResult:
        raise ZeroDivisionError

    monkeypatch.setattr("harness.virtual_run.judge", broken)
    words = ["run", "slow_worker", "--engine", "virtual", "--costs", "tiny_cpu", "--out", str(tmp_path)]
    assert run_command_line(words) == ExitCode.BUG
    assert "this is a bug in limplock" in capsys.readouterr().err
    assert not list(tmp_path.glob("*/result.json"))


# report 25: ray#21578
def test_a_picker_that_knows_who_is_busy_spares_bystanders_what_round_robin_does_to_them(
    tmp_path: Path,
) -> None:
    fault = "slow_steps(factor=10)"
    blind, aware = (conduct(tmp_path, f"{p}()", fault) for p in ("round_robin", "least_request"))
    share = [during(result, "bystander_goodput_ratio") for result in (blind, aware)]
    assert (blind.verdict, aware.verdict) == (Verdict.FAIL, Verdict.PASS)
    assert share[0] < 0.8 < 0.99 < share[1]
    assert aware.bite.touched < blind.bite.touched * 2


# report 28: maxx#833, benchlocal-cli#58
@pytest.mark.parametrize("fault", ["instant_error()", "link_black_hole()", "freeze()"])
def test_retries_under_a_fault_stay_within_their_budget(fault: str, tmp_path: Path) -> None:
    preset = f"{TIMEOUT} | retry(max_attempts=3, budget=0.1) | round_robin()"
    result = conduct(tmp_path, preset, fault)
    attempts = read_history(tmp_path / HISTORY).of(Attempted)
    asked = {attempt.request for attempt in attempts}
    assert len(attempts) <= 1.12 * len(asked)
    assert max(attempt.number for attempt in attempts) <= 3
    assert result.bite.touched <= 1.12 * len(asked) / 4


def test_a_delay_just_under_the_timeout_does_more_damage_than_one_just_above(tmp_path: Path) -> None:
    """What is just under holds its slot to the end, what is just above is cut off: see `OfTimeout`."""
    sizes = (0.5, 0.9, 1.05, 3)
    runs = [conduct(tmp_path, "timeout", f"link_latency(latency={size}timeout)") for size in sizes]
    held = [
        next(m.during for m in run.measures if m.name == "slot_capture" and m.during is not None)
        for run in runs
    ]
    assert held[0] < held[1]
    assert held[1] > 1.2 * held[2]
    assert held[2] == pytest.approx(held[3], rel=0.05)
    (words,) = not_monotonic([[run] for run in runs])
    assert words.startswith("damage is not monotonic under timeout: of the slots that fill first")
    assert "link_latency(latency_s=0.9timeout, connections_ratio=1)" in words
    assert "larger link_latency(latency_s=1.05timeout, connections_ratio=1)" in words
