"""A sweep over another fault than the scenario's own."""

import json
from pathlib import Path

import pytest

from harness.cli import run_command_line
from harness.exit_codes import ExitCode

WORDS = ["sweep", "slow_worker", "--load", "0.5", "--factor", "2,9", "--seeds", "1", "--refine", "0"]


def test_every_run_of_it_has_the_fault_and_the_factor(runs, out: Path, capsys) -> None:
    assert (
        run_command_line([*WORDS, "--fault", "slow_decode(shape=ramp)", "--out", str(out)]) == ExitCode.PASS
    )
    written = "slow_decode(factor=10, shape=ramp(rise_s=5, from_ratio=0, hold_s=inf, fall_s=0))"
    assert {run.fault for run in runs.done} == {written}
    assert {run.resized().fault.parameters()["factor"] for run in runs.done} == {2.0, 9.0}
    assert "slow_worker with slow_decode" in " ".join(capsys.readouterr().out.split())
    assert json.loads((out / "sweep.json").read_text())["fault"] == written


def test_it_goes_on_only_with_the_same_fault(runs, out: Path, capsys) -> None:
    fault = ["--fault", "slow_decode"]
    assert run_command_line([*WORDS, *fault, "--out", str(out)]) == ExitCode.PASS
    done = len(runs.done)
    assert run_command_line([*WORDS, *fault, "--out", str(out)]) == ExitCode.PASS
    assert len(runs.done) == done
    assert run_command_line([*WORDS, "--out", str(out)]) == ExitCode.BAD_INPUT
    assert "holds another sweep: fault slow_decode(factor=10), not" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("link_latency()", "--fault, link_latency, has no factor to sweep over"),
        ("slow_stps", "--fault: unknown fault 'slow_stps'"),
    ],
)
def test_a_fault_that_cannot_be_swept_over_is_refused(runs, out: Path, capsys, fault: str, says: str) -> None:
    assert run_command_line([*WORDS, "--fault", fault, "--out", str(out)]) == ExitCode.BAD_INPUT
    assert says in capsys.readouterr().err
    assert runs.done == []
