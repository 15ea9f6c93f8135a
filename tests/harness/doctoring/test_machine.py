import resource
from types import SimpleNamespace

import pytest

from harness.doctoring import consult, machine
from harness.doctoring.consult import run_doctor, told
from harness.doctoring.machine import Finding
from harness.errors import BadInput
from harness.exit_codes import ExitCode


@pytest.mark.parametrize(
    ("finding", "state"),
    [
        (machine.python((3, 10, 9)), "fail"),
        (machine.python((3, 11, 0)), "ok"),
        (machine.system("Linux", "6"), "ok"),
        (machine.system("Windows", "11"), "warn"),
        (machine.cores(1), "warn"),
        (machine.cores(2), "ok"),
        (machine.busy(1.1, 2), "warn"),
        (machine.busy(1.0, 2), "ok"),
        (machine.memory(2047), "warn"),
        (machine.memory(2048), "ok"),
        (machine.descriptors(256, 1024), "fail"),
        (machine.descriptors(256, 2048), "ok"),
        (machine.descriptors(256, resource.RLIM_INFINITY), "ok"),
        (machine.toxiproxy(None), "ok"),
    ],
)
def test_what_is_short_is_told_with_what_to_do(finding: Finding, state: str) -> None:
    assert finding.state == state
    assert bool(finding.fix) == (state != "ok")


def test_what_a_run_has_left_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    found = SimpleNamespace(damage="", run="r", left=["a process"], path="p")
    monkeypatch.setattr(machine, "left_behind", lambda: [found, found])
    assert machine.leftovers() == Finding(
        "leftovers", "fail", "left of run r: a process, and of 1 more", "Run `limplock recover` first"
    )
    monkeypatch.setattr(machine, "left_behind", list)
    assert machine.leftovers().state == "ok"


@pytest.mark.parametrize(
    ("states", "code"),
    [(("ok", "warn"), ExitCode.PASS), (("ok", "fail", "ok"), ExitCode.ENVIRONMENT)],
)
def test_only_what_no_run_can_do_without_fails(
    states: tuple[str, ...], code: ExitCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consult, "inspect", lambda: iter([Finding("it", state, "w") for state in states]))
    assert run_doctor() is code


def test_a_finding_is_one_line_with_what_to_do() -> None:
    assert told(Finding("cores", "warn", "1", "take two")) == "warn  cores: 1. Take two"
    assert told(Finding("cores", "ok", "2")) == "ok    cores: 2"


def test_an_engine_without_oracles_or_one_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="--oracles"):
        run_doctor("torch")
    with pytest.raises(BadInput, match="unknown engine 'gpu'"):
        consult.run_oracles("gpu")
