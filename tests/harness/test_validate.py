"""The command from its line to its exit code, with something quicker in the place of the real runs."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from harness import validate
from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.judging.fidelity import compare
from harness.judging.result import Guard, RunResult, Verdict
from harness.suite import Planned
from tests.harness.judging.synthetic import CONTAINED, judged

Change = Callable[[RunResult], RunResult]
Run = Callable[..., int]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs `limplock validate healthy --policy none`; `change` is what its real run comes to."""

    def run(change: Change = lambda result: result) -> int:
        synthetic = judged(kind=None)
        monkeypatch.setattr(validate.Validation, "virtual", lambda *_: [[synthetic]])
        monkeypatch.setattr(validate.Validation, "real", lambda *_: [[change(synthetic)]])
        line = ["validate", "healthy", "--policy", "none", "--out", str(tmp_path / "out")]
        return run_command_line(line)

    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    return run


def with_metric(result: RunResult, metric: str, **values: float) -> RunResult:
    """The same, but with another figure of every caller that has it. `values`: by phase."""
    callers = [
        caller.model_copy(
            update={"metrics": {**caller.metrics, metric: caller.metrics[metric].model_copy(update=values)}}
        )
        if metric in caller.metrics
        else caller
        for caller in result.callers
    ]
    return result.model_copy(update={"callers": callers})


def faster(result: RunResult) -> RunResult:
    """The same, but the first token comes at once."""
    return with_metric(result, "ttft_s.p50_all", before=0.005)


def too_busy(result: RunResult) -> RunResult:
    late = Guard(name="generator on time", ok=False, voids="any verdict", words="requests left 99 ms late")
    return result.model_copy(update={"verdict": Verdict.INCONCLUSIVE, "guards": [late]})


def test_the_same_twice_is_within_tolerance(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == ExitCode.PASS
    out = capsys.readouterr().out
    assert "PASS  healthy x none" in out
    assert "outside" not in out


def test_costs_of_another_machine_are_named_as_such(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run()
    out = capsys.readouterr().out
    assert "virtual: costs shipped tiny_cpu: nothing is calibrated here for tiny on cpu" in out
    assert "run `limplock calibrate` first" in out


def test_a_figure_apart_is_exit_one(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(faster) == ExitCode.FAIL
    out = " ".join(capsys.readouterr().out.split())
    assert "; outside: " in out
    assert "chat TTFT p50 before x" in out


def test_a_busy_machine_is_exit_three_in_the_words_of_the_guard(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(too_busy) == ExitCode.INCONCLUSIVE
    assert "requests left 99 ms late" in capsys.readouterr().out


def test_every_plan_is_run_with_every_seed_on_both_sides_and_all_rows_are_left_as_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[str, str, int]] = []

    def pretend(plan: Sequence[Planned], seed: int, _options: object, folder: Path) -> list[RunResult]:
        """What ran virtually, in the place of a real run."""
        seen.extend((planned.scenario.name, planned.preset.name, seed) for planned in plan)
        shutil.copytree(tmp_path / f"virtual-seed-{seed}", folder)
        return [RunResult.from_json((folder / "healthy.none" / "result.json").read_text())]

    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(validate, "run_all", pretend)
    line = ["validate", "healthy", "--policy", "none", "--runs", "2", "--seed", "5", "--out", str(tmp_path)]
    assert run_command_line(line) == ExitCode.PASS
    assert seen == [("healthy", "none", 5), ("healthy", "none", 6)]
    rows = msgspec.json.decode((tmp_path / "fidelity.json").read_bytes())["rows"]
    assert {(row["run"], row["ratio"]) for row in rows} == {("healthy x none", 1.0)}
    assert [row["phase"] for row in rows if row["label"] == "e2e p99" and row["where"] == "chat"] != []


def test_infinity_is_written_as_a_word(tmp_path: Path) -> None:
    never = with_metric(judged(), "e2e_s.p50_all", during=float("inf"))
    validate.write_fidelity(tmp_path, [compare([(judged(), never)])])
    rows = msgspec.json.decode((tmp_path / "fidelity.json").read_bytes())["rows"]
    found = [row for row in rows if row["metric"] == "e2e_s.p50_all" and row["phase"] == "during"]
    assert {(row["virtual"], row["ratio"], row["ok"]) for row in found} == {("Infinity", "Infinity", False)}


def test_the_verdicts_of_each_seed_are_data_too(tmp_path: Path) -> None:
    pairs = [(judged(), judged()), (too_busy(judged(seed=2)), judged(seed=2))]
    validate.write_fidelity(tmp_path, [compare(pairs)])
    assert msgspec.json.decode((tmp_path / "fidelity.json").read_bytes())["runs"] == [
        {
            "run": "slow_worker x none",
            "verdict": "PASS",
            "decided": [{"seed": 1, "real": "FAIL", "virtual": "FAIL"}],
            "undecided_seeds": [2],
        }
    ]


def test_fail_outranks_inconclusive_and_a_doubtful_clean_up_outranks_both() -> None:
    undecided = compare([(too_busy(judged()), judged())])
    apart = compare([(judged(), faster(judged()))])
    unclean = compare([(judged().model_copy(update={"clean": False}), judged())])
    assert validate.code([undecided]) is ExitCode.INCONCLUSIVE
    assert validate.code([undecided, apart]) is ExitCode.FAIL
    assert validate.code([undecided, apart, unclean]) is ExitCode.UNCLEAN


def test_results_by_seed_become_comparisons_by_plan() -> None:
    one, other = judged(), judged(**CONTAINED)
    found = validate.pair([[one, other], [one, other]], [[one, other], [one, other]])
    assert found == [[(one, one), (one, one)], [(other, other), (other, other)]]


def test_a_single_decided_pair_is_not_pooled_and_needs_no_history(tmp_path: Path) -> None:
    pairs = [(judged(), judged()), (too_busy(judged(seed=2)), judged(seed=2))]
    assert validate.pool(pairs, tmp_path) == pairs


WRONG = {
    "slow_wroker": "unknown scenario 'slow_wroker'. Closest: slow_worker.",
    "healthy --policy timeot": "unknown policy preset 'timeot'. Closest: timeout.",
    "healthy --toxiproxy embeded": "unknown --toxiproxy value 'embeded'. Closest: embedded.",
    "healthy --runs 0": "--runs must be 1 to 20, got 0",
    "healthy --costs a100": "costs a100 are of a GPU, but the real side is tiny on cpu",
    "healthy --costs tyni_cpu": "unknown cost set 'tyni_cpu'. Closest: tiny_cpu.",
}


@pytest.mark.parametrize("line", WRONG)
def test_bad_input_is_refused_before_anything_is_started(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def started(*args: object) -> None:
        raise AssertionError("something was started")

    monkeypatch.setattr(validate.Validation, "virtual", started)
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path))
    assert run_command_line(["validate", *line.split()]) == ExitCode.BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert WRONG[line] in err
