"""`limplock calibrate` from line to file, with known steps and a virtual run in the place of real ones."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from harness.calibration import calibrate, under_load
from harness.calibration.calibrate import Calibration
from harness.calibration.steps import Timed, Work
from harness.cli import run_command_line
from harness.exit_codes import ExitCode
from harness.judging.history import History
from harness.serving.cost_model import Costs
from harness.serving.cost_sets import TINY_CPU
from harness.serving.cost_store import choose_costs, costs_path

KNOWN = replace(TINY_CPU, hop_s=1.9e-3, link_s=5e-3, late_s=1.5e-3)
WORK = [Work(0, 1, 32), Work(0, 8, 400), Work(64, 0, 0), Work(64, 2, 80)]
STEPS = [Timed(work, TINY_CPU.step_s(*work)) for work in WORK]


async def known_steps(_model: str, device: str) -> tuple[Calibration, str]:
    return Calibration(replace(TINY_CPU, hop_s=0.0, link_s=0.0, late_s=0.0), STEPS, STEPS), device


def served(costs: Costs, _model: str, _device: str) -> History:
    return under_load._virtual_run(costs)


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An idle one, which nothing was measured on yet."""
    monkeypatch.setenv("LIMPLOCK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(calibrate, "time_engine", known_steps)
    monkeypatch.setattr(under_load, "_real_run", partial(served, KNOWN))
    monkeypatch.setattr(under_load.psutil, "cpu_percent", lambda _: 0.0)
    return monkeypatch


def test_what_was_measured_is_told_stored_and_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["calibrate"]) == ExitCode.PASS
    told, found = capsys.readouterr().out, choose_costs("calibrated").costs
    terms = (found.hop_s, found.link_s, found.late_s)
    assert terms == pytest.approx((KNOWN.hop_s, KNOWN.link_s, KNOWN.late_s), abs=1e-6)
    for words in ("1.9 ms", "5 ms", "1.5 ms", "how late a padded step ends"):
        assert words in told
    assert "may have been busy" not in told


@pytest.mark.parametrize(
    ("costs", "busy_percent", "why"),
    [
        (KNOWN, 60.0, "other programs take 60 % of it"),
        (replace(KNOWN, late_s=5e-3), 0.0, "steps ended 5.0 ms late"),
    ],
)
def test_on_a_busy_machine_nothing_is_stored(
    costs: Costs,
    busy_percent: float,
    why: str,
    machine: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    machine.setattr(under_load, "_real_run", partial(served, costs))
    machine.setattr(under_load.psutil, "cpu_percent", lambda _: busy_percent)
    assert run_command_line(["calibrate"]) == ExitCode.INCONCLUSIVE
    said = capsys.readouterr().err.splitlines()[-1]
    assert why in said
    assert said.endswith("then calibrate again")
    assert not costs_path("tiny", "cpu").exists()
