"""`limplock calibrate` from start to end on the model that ships."""

from pathlib import Path

import pytest

from harness.calibration import calibrate
from harness.cli import run_command_line
from harness.errors import EnvironmentFault
from harness.exit_codes import ExitCode
from harness.serving.cost_store import choose_costs

pytestmark = pytest.mark.real

TRIES = 3  # a busy machine decides nothing


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_tiny_is_calibrated_told_and_used_from_then_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrate, "ROUNDS_S", 4.0)
    tries = TRIES
    while (code := run_command_line(["calibrate"])) == ExitCode.INCONCLUSIVE and (tries := tries - 1):
        assert "calibrate again" in capsys.readouterr().err
    assert code == ExitCode.PASS
    out = capsys.readouterr().out
    assert "not in the fit, decode" in out
    assert "a prompt token of a new sequence" in out
    chosen = choose_costs("calibrated")
    assert chosen.origin.endswith("on this machine")
    one, many = chosen.costs.step_s(0, 1, 32), chosen.costs.step_s(0, 16, 512)
    assert one < many < 16 * one, "a batch of 16 costs more than one sequence, and far less than 16"
    assert chosen.costs.step_s(256, 0, 0) > 2 * one
    assert chosen.costs.hop_s > 0
    assert 0 < chosen.costs.late_s < 0.003


def test_a_cache_that_takes_no_files_is_told_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured(*args: object) -> None:
        raise EnvironmentFault("measured for nothing")

    monkeypatch.setattr(calibrate, "time_engine", measured)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "file"))
    assert run_command_line(["calibrate"]) == ExitCode.ENVIRONMENT
    assert "set LIMPLOCK_CACHE to another folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("calibrate --model tyni", "unknown model 'tyni'. Closest: tiny."),
        ("calibrate --device gpu", "unknown device 'gpu'."),
    ],
)
def test_a_wrong_command_line_is_refused(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(line.split()) == ExitCode.BAD_INPUT
    assert said in capsys.readouterr().err
