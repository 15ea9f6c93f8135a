"""`limplock replay`: the same run again, held against what is on record."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

import scenarios
from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.fleet import Fleet
from harness.results import HISTORY, RESULT
from harness.scenario import Phases
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun

SHORT = Phases(warm_up_s=0.5, baseline_s=1.0, fault_s=1.0, recovery_s=0.5, drain_s=1.0)
RUN = "run slow_worker --engine virtual --costs tiny_cpu --seed 5"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and a scenario of three seconds."""
    monkeypatch.chdir(tmp_path)
    short = dataclasses.replace(scenarios.SCENARIOS["slow_worker"], phases=SHORT)
    monkeypatch.setitem(scenarios.SCENARIOS, "slow_worker", short)
    return tmp_path


def limplock(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = run_command_line(line.split())
    out, err = capsys.readouterr()
    return code, out, err


def ran(capsys: pytest.CaptureFixture[str], more: str = "") -> tuple[str, Path]:
    """Token and folder of a run."""
    code, out, _ = limplock(f"{RUN} {more}", capsys)
    assert code == ExitCode.INCONCLUSIVE  # three seconds are too few to judge
    token = re.search(r"limplock replay (\S+)", out)
    folder = re.search(r"files: (\S+)", out)
    assert token is not None
    assert folder is not None
    return token[1], Path(folder[1]) / "slow_worker.none"


def test_a_replay_finds_the_earlier_result_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    token, folder = ran(capsys)
    code, out, err = limplock(f"replay {token}", capsys)
    assert (code, err) == (ExitCode.PASS, "")
    assert f"the same history to the byte as {folder} (digest " in out
    assert json.loads((folder / RESULT).read_text())["replay"] == token


def test_a_replay_without_an_earlier_result_tells_its_digest(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    token, folder = ran(capsys, "--out elsewhere")
    digest = json.loads((folder / RESULT).read_text())["digest"]
    code, out, _ = limplock(f"replay {token}", capsys)
    assert code == ExitCode.PASS
    assert f"NOT COMPARED: no earlier result of this run is here. Digest of its history: {digest}" in out


@pytest.mark.parametrize("named", ["", RESULT])
def test_the_result_to_compare_with_may_be_named(capsys: pytest.CaptureFixture[str], named: str) -> None:
    token, folder = ran(capsys, "--out elsewhere")
    code, out, _ = limplock(f"replay {token} --against {folder / named}", capsys)
    assert code == ExitCode.PASS
    assert f"the same history to the byte as {folder}" in out


def test_a_history_that_was_changed_is_not_the_same_and_the_line_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    token, folder = ran(capsys)
    lines = (folder / HISTORY).read_bytes().splitlines(keepends=True)
    lines[6] = lines[6].replace(b"at_s", b"at_S")
    (folder / HISTORY).write_bytes(b"".join(lines))
    code, out, err = limplock(f"replay {token}", capsys)
    assert (code, err) == (ExitCode.FAIL, "")
    assert f"NOT the same history as {folder}: they differ from line 7 on" in out


def test_a_history_that_ends_early_differs_from_its_end_on(capsys: pytest.CaptureFixture[str]) -> None:
    token, folder = ran(capsys)
    lines = (folder / HISTORY).read_bytes().splitlines(keepends=True)
    (folder / HISTORY).write_bytes(b"".join(lines[:100]))
    code, out, _ = limplock(f"replay {token}", capsys)
    assert code == ExitCode.FAIL
    assert "they differ from line 101 on" in out


def test_another_digest_is_not_the_same_whether_or_not_the_history_is_still_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    token, folder = ran(capsys)
    result = json.loads((folder / RESULT).read_text())
    (folder / RESULT).write_text(json.dumps(result | {"digest": "0" * 64}))
    (folder / HISTORY).unlink()
    code, out, _ = limplock(f"replay {token} --against {folder}", capsys)
    assert code == ExitCode.FAIL
    assert "NOT the same history" in out
    assert "its digest differs, and its history is no longer there" in out


def test_a_result_without_its_history_is_compared_by_digest(capsys: pytest.CaptureFixture[str]) -> None:
    token, folder = ran(capsys)
    (folder / HISTORY).unlink()
    code, out, _ = limplock(f"replay {token}", capsys)
    assert code == ExitCode.PASS
    assert "the same history to the byte" in out


def test_what_cannot_be_compared_with_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    token, folder = ran(capsys)
    (here / "broken").mkdir()
    (here / "broken" / RESULT).write_text("{")
    other = json.loads((folder / RESULT).read_text()) | {"replay": "lp1-other"}
    (here / "other.json").write_text(json.dumps(other))
    cases = {
        "--against nowhere": "no result.json that this version can read",
        "--against broken": "no result.json that this version can read",
        "--against other.json": "this is the result of another run",
    }
    for words, says in cases.items():
        code, out, err = limplock(f"replay {token} {words}", capsys)
        assert (code, out, err.count("\n")) == (ExitCode.BAD_INPUT, "", 1)
        assert says in err


def test_results_that_cannot_be_read_do_not_stop_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    token, folder = ran(capsys)
    broken = folder.parent.parent / "99999999-broken" / "slow_worker.none"
    broken.mkdir(parents=True)
    (broken / RESULT).write_bytes(b"\xff\xfe")
    code, out, _ = limplock(f"replay {token}", capsys)
    assert code == ExitCode.PASS
    assert f"the same history to the byte as {folder}" in out


KNOWN = VirtualRun(scenario="slow_worker", preset="none", seed=5, costs=TINY_CPU)
WRONG = {
    "lp1-nonsense": "no whole replay token",
    "nonsense": "it does not begin with lp1-",
    "lp1-": "no whole replay token",
    KNOWN.token()[:-2]: "no whole replay token",
    replace(KNOWN, version="0.0.1").token(): "Replay it with that version",
    replace(KNOWN, scenario="slow_wroker").token(): "unknown scenario 'slow_wroker'. Closest: slow_worker.",
    replace(KNOWN, preset="timeot").token(): "unknown policy preset 'timeot'. Closest: timeout.",
    replace(KNOWN, fleet=Fleet(load=7)).token(): "Below 1 is accepted",
}


@pytest.mark.parametrize("token", WRONG, ids=list(WRONG.values()))
def test_a_token_that_cannot_be_replayed_is_one_line(
    capsys: pytest.CaptureFixture[str], token: str, here: Path
) -> None:
    code, out, err = limplock(f"replay {token}", capsys)
    assert (code, out, err.count("\n")) == (ExitCode.BAD_INPUT, "", 1)
    assert WRONG[token] in err
    assert list(here.iterdir()) == []
