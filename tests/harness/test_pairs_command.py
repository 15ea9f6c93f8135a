"""`limplock run --pairs`, in virtual time."""

import re

import pytest

from harness import pairs_command
from harness.cli import run_command_line
from harness.errors import Aborted
from harness.exit_codes import ExitCode
from harness.folder_lock import folder_lock
from harness.judging.pairs.cell import CellResult
from tests.harness.gating.fake_rounds import CALM, FakeRounds


def ran(tmp_path, *more):
    words = ["run", "slow_worker", "--engine", "virtual", "--costs", "tiny_cpu", "--jobs", "1"]
    return run_command_line([*words, "--out", str(tmp_path / "out"), *more])


def test_pairs_are_judged_together_with_the_score_of_the_policy(tmp_path, capsys):
    code = ran(tmp_path, "--policy", "contain", "--pairs", "6", "--controls", "removed,dead")
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert code == ExitCode.PASS
    assert err.splitlines() == [f"pair {number} of 6 under contain" for number in range(1, 7)]
    assert lines[0].startswith("PASS  slow_worker x contain: contained in 6 pairs")
    assert any(line.startswith("  score     score ") for line in lines)
    assert any(line.startswith("  dead      spread in ") for line in lines)
    cell = CellResult.from_json((tmp_path / "out/contain/cell.json").read_text())
    assert len(cell.pairs) == 6


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--pairs", "5"], "--pairs must be 6 to 30, got 5"),
        (["--pairs", "31"], "--pairs must be 6 to 30, got 31"),
        (["--controls", "dead"], "Add --pairs 8"),
        (["--pairs", "8", "--controls", "gone"], "unknown --controls arm 'gone'"),
        (["--pairs", "8", "--seeds", "3"], "--seeds: each pair has its own seed"),
        (
            ["--pairs", "8", "--device", "cpu"],
            "--device: for real runs only. Leave it out, or --engine torch",
        ),
        (["--pairs", "8", "--model", "smollm2"], "--model: for real runs only"),
    ],
)
def test_a_wrong_command_line_starts_nothing(tmp_path, capsys, more, words):
    assert ran(tmp_path, *more) == ExitCode.BAD_INPUT
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_faults_of_a_policy_are_run_in_the_same_rounds_and_each_has_a_file(tmp_path, monkeypatch):
    rounds = FakeRounds(slow_steps=CALM, wedge=CALM)
    monkeypatch.setattr(pairs_command, "VirtualRounds", lambda **_: rounds)
    policies, faults = ("contain", "none"), ("slow_steps", "wedge")
    words = [word for each in policies for word in ("--policy", each)]
    words += [word for each in faults for word in ("--fault", each)]
    ran(tmp_path, "--pairs", "6", *words)
    assert [[policy for policy, _ in cells] for cells, _, _ in rounds.asked] == [[p, p] for p in policies]
    assert [(first, count) for _, first, count in rounds.asked] == [(0, 6)] * 2
    for policy in policies:
        files = sorted(path.name for path in (tmp_path / "out" / policy).glob("cell.*"))
        assert [re.split(r"[-.(]", name)[1] for name in files] == list(faults)


def test_an_ended_job_leaves_no_result_of_an_earlier_one(tmp_path, monkeypatch):
    def ends(*_):
        raise Aborted("stopped")

    rounds = FakeRounds(own=CALM)
    monkeypatch.setattr(pairs_command, "VirtualRounds", lambda **_: rounds)
    ran(tmp_path, "--pairs", "6")
    cell = tmp_path / "out/none/cell.json"
    assert cell.exists()
    monkeypatch.setattr(rounds, "run", ends)
    assert ran(tmp_path, "--pairs", "6") == ExitCode.ABORTED
    assert not cell.exists()


def test_two_jobs_do_not_share_a_folder(tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    with folder_lock(out):
        assert ran(tmp_path, "--pairs", "6") == ExitCode.BAD_INPUT
    assert f"another job is writing to {out}. Choose another" in capsys.readouterr().err
    assert not list(out.iterdir())
