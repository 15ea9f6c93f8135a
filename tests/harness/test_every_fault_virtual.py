"""Every fault of the registry through the command line in virtual time: a verdict, words, and its law."""

from pathlib import Path

import pytest

from faults.registry import FAULTS
from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.judging.result import RunResult, Verdict
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun

CODES = {
    Verdict.PASS: ExitCode.PASS,
    Verdict.FAIL: ExitCode.FAIL,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
}
# With its defaults and without a policy. What holds slots longer than they last spreads.
SPREADING = {
    "slow_steps",
    "slow_unseen",
    "slow_prefill",  # a p99 of what it makes wait now and then
    "slow_decode",
    "added_per_step",
    "freeze",
    "freeze_after_first_token",
    "wedge",
    "link_latency",
    "link_stall",
    "link_black_hole",
    "link_slow_accept",
    "link_first_byte",
    "stopped",
}
UNSEEN = {"ignored_cancellation"}  # without a policy nobody leaves, so there is nothing to ignore

REFUSED = {"gpu_power_limit", "gpu_clock_limit"}  # what a cost model has not
VIRTUAL = [kind for kind in FAULTS if kind not in REFUSED]


EITHER_WAY = {"link_slicer"}  # 20 of 24 slots on average: by its law they may run out or not


def expected(kind: str) -> set[Verdict]:
    if kind in UNSEEN:
        return {Verdict.INCONCLUSIVE}
    if kind in EITHER_WAY:
        return {Verdict.PASS, Verdict.FAIL}
    return {Verdict.FAIL if kind in SPREADING else Verdict.PASS}


@pytest.mark.parametrize("kind", VIRTUAL)
def test_a_fault_is_judged_and_told(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ["run", "slow_worker", "--engine", "virtual", "--costs", "tiny_cpu", "--out", str(tmp_path)]
    code = run_command_line([*words, "--fault", f"{kind}()"])
    (path,) = tmp_path.glob("*/result.json")
    result = RunResult.from_json(path.read_text())
    shown = capsys.readouterr().out
    assert result.verdict in expected(kind)
    assert code == CODES[result.verdict]
    assert result.setting.fault == kind
    assert result.bite is not None
    assert result.bite.bit is (kind not in UNSEEN)
    assert result.bite.touched > 0
    assert result.setting.fault_fidelity
    assert f"slow_worker with {kind}(" in " ".join(shown.split())
    assert "fidelity   " in shown
    told = [line for line in shown.splitlines()[4:] if not line.startswith("files:")]  # as long as their path
    assert max(map(len, told)) <= 80


@pytest.mark.parametrize("kind", VIRTUAL)
def test_a_fault_keeps_to_its_law(kind: str, tmp_path: Path) -> None:
    for seed in (2, 3):
        run = VirtualRun(scenario="slow_worker", preset="none", seed=seed, costs=TINY_CPU, fault=f"{kind}()")
        law = run.conduct(tmp_path).law
        assert law.applies
        assert law.contradicted == ""
        assert not law.words.startswith("no law"), law.words
        assert law.slots_needed is not None


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_a_fault_that_only_real_runs_have_is_refused_in_one_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "slow_worker", "--engine", "virtual", "--costs", "tiny_cpu", "--out", str(tmp_path)]
    assert run_command_line([*words, "--fault", f"{kind}()"]) == ExitCode.BAD_INPUT
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
