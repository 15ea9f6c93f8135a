"""Bad input: one line with what to do, the right exit code, and nothing started."""

from pathlib import Path

import pytest

from harness import commands
from harness.cli import run_command_line
from harness.exit_codes import ExitCode


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*args: object, **kwargs: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(commands, "run_all", started)
    monkeypatch.setattr(commands, "serve", started)
    monkeypatch.setattr(commands, "order_fault", started)


WRONG = {
    "run slow_wroker": "unknown scenario 'slow_wroker'. Closest: slow_worker.",
    "run slow_worker --policy timeot": "unknown policy preset 'timeot'. Closest: timeout.",
    "run slow_worker --model tyni": "unknown model 'tyni'. Closest: tiny.",
    "run slow_worker --model ./no/such/folder": "is not a folder",
    "run slow_worker --device gpu": "unknown device 'gpu'.",
    "run slow_worker --toxiproxy embeded": "unknown --toxiproxy value 'embeded'. Closest: embedded.",
    "run slow_worker --toxiproxy http://example.org:8474": "is not on loopback",
    "run slow_worker --seed x": "--seed",
    "run slow_worker --polcy none": "--policy",
    "run": "scenario",
    "rnu": "Did you mean 'run'?",
    "list polices": "unknown list 'polices'. Closest: policies.",
    "serve --workers 0": "--workers must be 1 to",
    "serve --workers 10000": "--workers must be 1 to",
    "serve --port 70000": "--port must be 0 to 65535",
    "serve --policy shed": "unknown policy preset 'shed'.",
    "fault slow_stps": "unknown fault 'slow_stps'. Closest: slow_steps.",
    "fault slow_steps --factor 0.5": "factor must be 1 or more",
    "fault slow_steps --factor nan": "factor must be 1 or more",
    "fault slow_steps --factor ten": "--factor takes a number, got 'ten'",
    "fault slow_steps --faktor 10": "has no parameter 'faktor'. It has: factor",
    "fault slow_steps --factor": "has no value",
    "fault slow_steps 10": "'10'",
    "fault slow_steps --for 0": "--for must be above 0 s",
    "fault slow_steps --for inf": "--for must be above 0 s",
    "fault link_latency --latency_s -1": "latency_s must be above 0 s",
    "models fetch llama": "unknown model 'llama'.",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_line_is_refused_in_one_line(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(line.split()) == ExitCode.BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert WRONG[line] in err
    assert err.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_refused_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    out = str(tmp_path / "file" / "below")
    assert run_command_line(["run", "slow_worker", "--out", out]) == ExitCode.BAD_INPUT
    assert "cannot write to" in capsys.readouterr().err


def test_a_fault_without_a_running_gateway_says_how_to_start_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path))
    assert run_command_line(["fault", "slow_steps"]) == ExitCode.ENVIRONMENT
    assert "no `limplock serve` is running here" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["scenarios", "policies", "faults", "metrics"])
def test_every_list_has_one_line_with_a_meaning_per_entry(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["list", kind]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 3
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


def test_a_bug_of_ours_is_one_line_and_the_traceback_is_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("harness.catalogue.catalogue", lambda kind: 1 / 0)
    assert run_command_line(["list", "faults"]) == ExitCode.BUG
    err = capsys.readouterr().err
    assert "this is a bug in limplock" in err
    path = Path(err.split()[-1])
    assert "ZeroDivisionError" in path.read_text()
    path.unlink()
