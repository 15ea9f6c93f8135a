"""What `limplock fault` says once the fault is on."""

import pytest

from harness import commands
from harness.cli import run_command_line

SAID = {
    "fault slow_steps --worker 1 --factor 3 --for 5": "slow_steps(factor=3) on worker-1 for 5 s\n",
    "fault slow_steps --for 5": "slow_steps(factor=10) on worker-0 for 5 s\n",
    "fault killed --worker 2": "killed() on worker-2, for good\n",
}


@pytest.mark.parametrize("line", SAID)
def test_only_a_fault_that_heals_is_said_to_last_for_a_time(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def ordered(*args: object) -> None:
        pass

    monkeypatch.setattr(commands, "order_fault", ordered)
    assert run_command_line([*line.split(), "--gateway", "http://127.0.0.1:1"]) == 0
    assert capsys.readouterr().out == SAID[line]


def test_an_early_end_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def lifted(gateway: str, worker: str) -> str:
        return f"slow_steps(factor=10) on {worker}"

    monkeypatch.setattr(commands, "lift_fault", lifted)
    line = ["fault", "--lift", "--worker", "2", "--gateway", "http://127.0.0.1:1"]
    assert run_command_line(line) == 0
    assert capsys.readouterr().out == "slow_steps(factor=10) on worker-2 has ended\n"
