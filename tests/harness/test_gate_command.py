"""`limplock gate` from the command line, in virtual time."""

import json
from pathlib import Path

import pytest

from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.folder_lock import folder_lock
from harness.judging.pairs.gate_result import GateResult

GATE = """\
version: 1
engine: virtual
scenario: slow_worker
phases: {warm_up_s: 1, baseline_s: 6, fault_s: 20, recovery_s: 2}
policy: POLICY
pairs: {least: 6, most: 6, confidence: 90%}
objectives:
  - {id: calm, metric: e2e_s.p50_all, of: local_api, max_vs_control: 1.5}
  - {id: no-storm, metric: retry_amplification, max: 1.2, level: warn}
"""
GUARD = """\
guards:
  - {metric: waiting, of: api, over: 3, for: 2 s}
"""


def written(folder: Path, policy: str, more: str = "") -> Path:
    path = folder / "gate.yaml"
    path.write_text(GATE.replace("POLICY", policy) + more)
    return path


def ran(path: Path, *more: str) -> int:
    out = path.parent / "out"
    return run_command_line(
        ["gate", str(path), "--jobs", "1", "--costs", "tiny_cpu", "--out", str(out), *more]
    )


@pytest.fixture(scope="module")
def passed(tmp_path_factory):
    """A gate that passed: its file and its exit code."""
    path = written(tmp_path_factory.mktemp("passed"), "contain")
    return path, ran(path)


def test_a_policy_that_contains_passes_and_its_result_is_stored(passed):
    path, code = passed
    assert code == ExitCode.PASS
    result = GateResult.from_json((path.parent / "out/gate.json").read_text())
    assert (result.verdict, result.engine, result.machine) == ("PASS", "virtual", None)
    assert [each.id for each in result.cells[0].objectives] == ["calm", "no-storm"]
    assert (path.parent / "out/verdict.txt").read_text().startswith("PASS  slow_worker x contain: ")


def test_all_pairs_of_a_policy_lie_beside_their_controls(passed):
    folders = sorted((passed[0].parent / "out/contain").iterdir())
    assert len(folders) == 6
    assert {each.name for each in folders[0].iterdir()} == {"control", "fault"}
    assert (folders[0] / "fault/pair.json").is_file()


def test_a_policy_that_does_not_fails_and_the_job_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    path = written(tmp_path, "none")
    assert ran(path) == ExitCode.FAIL
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAIL  slow_worker x none: calm: e2e_s.p50_all of local_api during fault x")
    assert any(line.startswith("  x calm ") and line.endswith("gate.yaml:8") for line in lines)
    assert any(line.startswith("  + no-storm (warn) ") for line in lines)
    assert any(line.startswith("::error file=") and "line=8::calm" in line for line in lines)
    assert "verdict=FAIL\nexit-code=1\n" in (tmp_path / "output").read_text()
    assert "| x | calm |" in (tmp_path / "summary").read_text()


def test_a_guard_stops_the_job_and_nothing_is_judged(tmp_path, capsys):
    path = written(tmp_path, "none", GUARD)
    assert ran(path) == ExitCode.ABORTED
    assert "a guard (line 11) stopped the job" in capsys.readouterr().err
    assert (tmp_path / "out/verdict.txt").read_text().startswith("ABORTED  a guard (line 11)")
    assert not (tmp_path / "out/gate.json").exists()


def test_a_guard_that_is_never_broken_changes_no_history(passed, tmp_path):
    """The digest is that of the run without a guard."""
    calm = written(tmp_path, "contain", GUARD.replace("over: 3", "over: 1000"))
    assert ran(calm) == ExitCode.PASS
    both = [
        json.loads((path.parent / "out/contain/pair-00/fault/pair.json").read_text())["fault"]["digest"]
        for path in (passed[0], calm)
    ]
    assert both[0] == both[1]


def test_a_plan_is_told_and_nothing_is_run(tmp_path, capsys):
    path = written(tmp_path, "contain")
    assert ran(path, "--plan") == ExitCode.PASS
    assert "looks after 6, 2 runs for each" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--engine", "cuda"], "unknown engine 'cuda'"),
        (["--budget", "5 weeks"], "--budget: "),
        (["--controls", "missing"], "unknown --controls arm 'missing'"),
        (["--baseline", "nowhere.json"], "--baseline nowhere.json is no file"),
        (["--baseline", "x" * 5000], "is no file. Give the gate.json of an earlier gate"),
        (["--baseline", __file__], "--baseline: no objective compares with it"),
        (["--out", "bad\udcff"], r"the name 'bad\udcff' is no UTF-8"),
        (["--device", "cpu", "--toxiproxy", "embedded"], "--toxiproxy, --device: for real runs only"),
        (["--jobs", "0"], "--jobs must be 1 to 256"),
    ],
    ids=lambda given: str(given)[:40],
)
def test_a_wrong_command_line_starts_nothing(tmp_path, capsys, more, words):
    path = written(tmp_path, "contain")
    assert ran(path, *more) == ExitCode.BAD_INPUT
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


AGAINST = "  - {id: no-worse, metric: goodput_ratio, of: local_api, min_vs_baseline: 0.97}\n"


def test_a_stored_baseline_of_the_same_runs_is_compared_seed_by_seed(passed, tmp_path):
    path = written(tmp_path, "timeout_breaker_shed", AGAINST)
    assert ran(path, "--baseline", str(passed[0].parent / "out/gate.json")) == ExitCode.PASS
    result = GateResult.from_json((tmp_path / "out/gate.json").read_text())
    assert result.cells[0].objectives[2].pairs == 6


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ("seed: 1", "seed: 2", "began with seed 1, this gate with 2. Write seed: 1"),
        ("fault_s: 20", "fault_s: 21", "has other workers, load, phases or costs"),
        ("seed: 1", "seed: 1\nfaults: [slow_steps(factor=9)]", "has no pairs under slow_steps(factor=9)"),
        ("engine: virtual", "engine: torch", "is of engine virtual, this gate of torch"),
    ],
)
def test_a_baseline_that_cannot_be_compared_is_refused_with_its_line(
    passed, tmp_path, capsys, was, now, words
):
    path = written(tmp_path, "contain", AGAINST)
    stored = passed[0].parent / "out/gate.json"
    text = path.read_text() + f"seed: 1\nbaseline: {{result: {stored}}}\n"
    path.write_text(text.replace(was, now))
    assert ran(path) == ExitCode.BAD_INPUT
    told = capsys.readouterr().err
    assert words in told
    assert "gate.yaml:1" in told
    assert not (tmp_path / "out").exists()


def test_each_problem_of_a_file_begins_with_its_file_and_line(tmp_path, capsys):
    path = tmp_path / "gate.yaml"
    path.write_text("version: 1\npolicy: contian\nengine: vitual\nobjectives: []\n")
    assert ran(path) == ExitCode.BAD_INPUT
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert all(line.startswith(f"{path}:") for line in lines)


def test_a_baseline_of_another_machine_is_refused_for_real_runs(passed, tmp_path, capsys):
    stored = json.loads((passed[0].parent / "out/gate.json").read_text())
    stored |= {
        "engine": "torch",
        "machine": {"cpu": "another", "cores": 8, "gpu": "", "python": "3.11", "torch": "2"},
    }
    other = tmp_path / "other.json"
    other.write_text(json.dumps(stored))
    path = written(tmp_path, "contain", AGAINST)
    assert ran(path, "--engine", "torch", "--baseline", str(other)) == ExitCode.BAD_INPUT
    assert "was measured on another machine (cpu: another there" in capsys.readouterr().err


def test_a_baseline_that_is_damaged_is_refused_with_its_line(passed, tmp_path, capsys):
    stored = (passed[0].parent / "out/gate.json").read_text()
    other = tmp_path / "other.json"
    path = written(tmp_path, "contain", AGAINST + f"baseline: {{result: {other}}}\n")
    for damaged in (stored[:5000], stored.replace('"replay": "lp1-', '"replay": "'), "[" * 100_000):
        other.write_text(damaged)
        assert ran(path) == ExitCode.BAD_INPUT
        assert f"gate.yaml:11: baseline {other}" in capsys.readouterr().err


def test_a_baseline_is_not_overwritten(passed, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    stored = (passed[0].parent / "out/gate.json").read_text()
    (out / "gate.json").write_text(stored)
    path = written(tmp_path, "contain", AGAINST)
    assert ran(path, "--baseline", str(out / "gate.json")) == ExitCode.BAD_INPUT
    assert "would replace the baseline" in capsys.readouterr().err
    assert (out / "gate.json").read_text() == stored


def test_the_verdict_of_an_earlier_gate_is_not_left_for_this_one(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("gate.json", "verdict.txt"):
        (out / name).write_text("PASS")
    assert ran(written(tmp_path, "none", GUARD)) == ExitCode.ABORTED
    assert not (out / "gate.json").exists()
    assert (out / "verdict.txt").read_text().startswith("ABORTED")


def test_two_gates_do_not_write_into_one_folder(tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    with folder_lock(out):
        assert ran(written(tmp_path, "contain")) == ExitCode.BAD_INPUT
    assert f"another job is writing to {out}. Choose another" in capsys.readouterr().err
    assert not list(out.iterdir())


def test_a_baseline_of_another_version_is_refused(passed, tmp_path, capsys):
    stored = json.loads((passed[0].parent / "out/gate.json").read_text()) | {"version": "0.0.1"}
    other = tmp_path / "other.json"
    other.write_text(json.dumps(stored))
    path = written(tmp_path, "contain", AGAINST)
    assert ran(path, "--baseline", str(other)) == ExitCode.BAD_INPUT
    assert "was made by limplock 0.0.1" in capsys.readouterr().err
