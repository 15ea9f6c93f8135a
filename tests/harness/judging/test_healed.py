"""A fault that was taken away must not be measured any more: who says that it is gone may be wrong."""

import pytest
from msgspec.structs import replace

from harness.exit_codes import ExitCode
from harness.judging.healed import not_healed
from harness.judging.history import FaultChanged, History, PhaseStarted
from harness.judging.verdict import Verdict, judge
from harness.judging.windows import timeline
from harness.verdict_codes import exit_code
from tests.harness.judging.synthetic import simulate

TOLD_S = 10.0  # before it really went


def told_too_soon(**changes: object) -> History:
    """The site says that the fault is gone, and it is not."""
    history = simulate(fault_s=20 + TOLD_S, recovery_s=0.01, **changes)
    records = [
        replace(record, at_s=record.at_s - TOLD_S)
        if (isinstance(record, FaultChanged) and not record.active)
        or (isinstance(record, PhaseStarted) and record.phase == "recovery")
        else record
        for record in history.records[1:-1]
    ]
    records.sort(key=lambda record: record.at_s)
    return History([history.records[0], *records, history.records[-1]])


def said(history: History) -> str:
    return not_healed(history, timeline(history))


@pytest.mark.parametrize(("kind", "size"), [("slow_steps", 10.0), ("link_latency", 6.0)])
def test_what_has_healed_is_measured_as_before(kind: str, size: float) -> None:
    assert said(simulate(kind=kind, size=size)) == ""


@pytest.mark.parametrize(("kind", "size"), [("slow_steps", 10.0), ("link_latency", 6.0)])
def test_what_is_still_measured_after_it_was_taken_away_is_told(kind: str, size: float) -> None:
    assert f"{kind} is still measured at worker 2 after it was taken away" in said(
        told_too_soon(kind=kind, size=size)
    )


def test_what_never_bit_and_what_never_heals_is_no_matter_of_healing() -> None:
    assert said(told_too_soon(effect=1.0)) == ""
    assert said(simulate(kind="killed")) == ""
    assert said(simulate(kind=None)) == ""


# report 12: chaostoolkit-lib#94
def test_a_fault_that_is_still_there_makes_no_pass_and_exit_6() -> None:
    result = judge(told_too_soon())
    guard = next(guard for guard in result.guards if guard.name == "cleaned up")
    assert (guard.ok, result.clean) == (False, False)
    assert "still measured at worker 2" in guard.words
    assert result.verdict is not Verdict.PASS
    assert exit_code([result]) is ExitCode.UNCLEAN
