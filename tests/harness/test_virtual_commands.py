"""`limplock run --engine virtual`: what it refuses, what it says, and when."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import scenarios
from harness import commands
from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.interrupts import Interrupted
from harness.judging.result import RunResult
from harness.scenario import Phases
from harness.virtual_run import VirtualRun

SHORT = Phases(warm_up_s=0.5, baseline_s=1.0, fault_s=1.0, recovery_s=0.5, drain_s=1.0)
VIRTUAL = "run slow_worker --engine virtual --costs tiny_cpu"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and a scenario of three seconds."""
    monkeypatch.chdir(tmp_path)
    short = replace(scenarios.SCENARIOS["slow_worker"], phases=SHORT)
    monkeypatch.setitem(scenarios.SCENARIOS, "slow_worker", short)
    return tmp_path


REFUSED = {
    f"{VIRTUAL} --workers 0": "--workers must be 1 to 10000, got 0",
    f"{VIRTUAL} --workers x": "--workers",
    f"{VIRTUAL} --load 1.2": "Below 1 is accepted, or a bound: --max-queue 8",
    f"{VIRTUAL} --load nan": "--load must be above 0 and finite",
    f"{VIRTUAL} --factor 0.9": "factor must be 1 or more",
    f"{VIRTUAL} --slow 4": "--slow must be 1 to 3 of 4 workers",
    f"{VIRTUAL} --workers 10000 --load 0.9 --slow 400": "at most 5,000,000 are accepted",
    f"{VIRTUAL} --max-queue -1": "--max-queue must be 0 to 1000000",
    f"{VIRTUAL} --seeds 0": "--seeds must be 1 to 10000, got 0",
    f"{VIRTUAL} --seeds 10001": "--seeds must be 1 to 10000, got 10001",
    f"{VIRTUAL} --jobs 0": "--jobs must be 1 to 256, got 0",
    f"{VIRTUAL} --jobs 257": "--jobs must be 1 to 256, got 257",
    f"{VIRTUAL} --policy timeot": "unknown policy preset 'timeot'. Closest: timeout.",
    "run slow_wroker --engine virtual": "unknown scenario 'slow_wroker'. Closest: slow_worker.",
    "run slow_worker --engine virtual --costs h200": "unknown cost set 'h200'. Closest: h100.",
    "run healthy --engine virtual --slow 1": "'healthy' has no fault. Leave it out",
    "run slow_worker --engine virtul": "unknown engine 'virtul'. Closest: virtual.",
    "run slow_worker --workers 8": "--workers: for virtual runs only. Add --engine virtual",
    "run slow_worker --slow 2": "--slow: for virtual runs only",
    "run slow_worker --load 0.5": "--load: for virtual runs only",
    "run slow_worker --factor 2": "--factor: for virtual runs only",
    "run slow_worker --max-queue 2": "--max-queue: for virtual runs only",
    "run slow_worker --seeds 2 --jobs 1 --costs a100": "--costs, --seeds, --jobs: for virtual runs only",
    "run slow_worker --engine torch --seeds 1": "--seeds: for virtual runs only",
}


@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_is_one_line_before_anything_is_started(
    line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    def started(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(VirtualRun, "conduct", started)
    monkeypatch.setattr(commands, "run_all", started)
    assert run_command_line(line.split()) == ExitCode.BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert REFUSED[line] in err
    assert err.count("\n") == 1
    assert list(here.iterdir()) == []


def tokens(out: str) -> list[str]:
    return re.findall(r"limplock replay (\S+)", out)


def test_costs_and_token_are_said_before_the_run_starts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever interrupts a run can still have it again."""
    said: list[str] = []

    def interrupted(*args: object) -> RunResult:
        said.append(capsys.readouterr().out)
        raise Interrupted("stopped")

    monkeypatch.setattr(VirtualRun, "conduct", interrupted)
    line = f"{VIRTUAL} --seed 4 --policy none --policy timeout --policy none"
    assert run_command_line(line.split()) == ExitCode.INTERRUPTED
    assert "virtual: costs shipped tiny_cpu" in said[0]
    runs = [VirtualRun.of(token) for token in tokens(said[0])]
    assert [(run.preset, run.seed) for run in runs] == [("none", 4), ("timeout", 4)]
    out, err = capsys.readouterr()
    assert (out, err) == ("", "limplock: stopped\n")


def test_one_seed_is_shown_as_a_real_run_is(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    assert run_command_line(f"{VIRTUAL} --out out".split()) == ExitCode.INCONCLUSIVE
    out = capsys.readouterr().out
    assert "INCONCLUSIVE  slow_worker x none" in out
    assert "files: out/" in out
    assert sorted(path.name for path in here.glob("out/*/*")) == ["history.jsonl", "result.json"]


def test_several_seeds_are_counted_and_each_has_its_folder(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    line = f"{VIRTUAL} --seeds 3 --seed 7 --jobs 1 --policy none --policy timeout --out out"
    assert run_command_line(line.split()) == ExitCode.INCONCLUSIVE
    out, err = capsys.readouterr()
    assert err == "".join(f"{n} of 6 runs\n" for n in range(1, 7))
    assert "slow_worker x none: of 3 seeds 3 inconclusive" in out
    assert "slow_worker x timeout: of 3 seeds 3 inconclusive" in out
    assert out.count("(first of 3 seeds)") == len(tokens(out)) == 2
    folders = sorted(path.name for path in (here / "out").iterdir())
    assert folders == [f"slow_worker.{p}.{s}" for p in ("none", "timeout") for s in (7, 8, 9)]
    results = [RunResult.from_json((here / "out" / name / "result.json").read_text()) for name in folders]
    assert len({result.digest for result in results}) == 6
    assert [result.setting.seed for result in results] == [7, 8, 9, 7, 8, 9]


def test_a_fleet_is_run_and_named_in_its_token(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"{VIRTUAL} --workers 6 --slow 2 --load 0.4 --factor 3 --max-queue 5"
    assert run_command_line(line.split()) in (ExitCode.INCONCLUSIVE, ExitCode.PASS, ExitCode.FAIL)
    (token,) = tokens(capsys.readouterr().out)
    run = VirtualRun.of(token)
    assert run.title == "slow_worker x none, seed 1, workers=6 slow=2 load=0.4 factor=3 max_queue=5"


@pytest.mark.parametrize("broken", [ValueError("no"), OSError(28, "No space left on device")])
def test_a_run_that_fails_is_one_line(
    broken: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*args: object) -> RunResult:
        raise broken

    monkeypatch.setattr(VirtualRun, "conduct", fails)
    code = run_command_line(VIRTUAL.split())
    assert code == (ExitCode.ENVIRONMENT if isinstance(broken, OSError) else ExitCode.BUG)
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    if code == ExitCode.BUG:
        Path(err.split()[-1]).unlink()
    else:
        assert (
            err == "limplock: cannot go on: No space left on device. See where the output and the files go\n"
        )
