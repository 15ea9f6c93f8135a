"""The oracles hold for this judge, and would not for one that is wrong."""

from dataclasses import dataclass

import pytest

from harness.arms import Arm
from harness.doctoring import consult, examine, oracle
from harness.doctoring.controls import BOUNDED, UNBOUNDED, negative, positive, virtually
from harness.doctoring.lies import LIES, Material
from harness.doctoring.oracle import comes_out, noticed, untouched
from harness.exit_codes import ExitCode
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import Verdict


@dataclass(frozen=True)
class Runs:
    told: Material
    apart: PairResult  # of the fault at a worker without traffic
    contained: PairResult


@pytest.fixture(scope="module")
def runs() -> Runs:
    fault, control = (virtually(positive(), BOUNDED, arm) for arm in (Arm.FAULT, Arm.CONTROL))
    apart = judge_pair(*(virtually(negative(), UNBOUNDED, arm) for arm in (Arm.FAULT, Arm.CONTROL)))
    told = Material(fault=fault, control=control, spread=virtually(positive(), UNBOUNDED, Arm.FAULT))
    return Runs(told, apart, judge_pair(fault, control))


def test_a_fault_that_meets_nobody_changes_nothing_to_the_last_digit(runs: Runs) -> None:
    found = untouched("apart", runs.apart, exactly=True)
    assert found.holds, found.words
    assert "touched no request" in found.words


def test_a_measure_that_moved_without_traffic_is_seen_to_the_last_digit_or_beyond_chance(runs: Runs) -> None:
    first = next(m for m in runs.apart.fault.measures if m.deciding and m.name == "latency_inflation")
    for value, exactly in ((1 + 1e-6, True), (3.0, False)):
        moved = first.model_copy(update={"value": value, "lower": value, "upper": value})
        fault = runs.apart.fault.model_copy(update={"measures": [moved]})
        pair = runs.apart.model_copy(update={"fault": fault})
        found = untouched("apart", pair, exactly=exactly)
        assert not found.holds
        assert first.about in found.words
    slightly = first.model_copy(update={"value": 1.1, "lower": 1.0, "upper": 1.2})
    fault = runs.apart.fault.model_copy(update={"measures": [slightly]})
    assert untouched("apart", runs.apart.model_copy(update={"fault": fault}), exactly=False).holds


@pytest.mark.parametrize(
    "change", [{"verdict": Verdict.FAIL}, {"verdict": Verdict.PASS}, {"guards": []}], ids=str
)
def test_blame_a_pass_or_silence_about_a_fault_that_met_nobody_do_not_hold(
    runs: Runs, change: dict[str, object]
) -> None:
    fault = runs.apart.fault.model_copy(update=change)
    assert not untouched("apart", runs.apart.model_copy(update={"fault": fault}), exactly=True).holds


def test_another_verdict_than_the_one_that_must_come_out_does_not_hold(runs: Runs) -> None:
    assert comes_out("it", runs.contained, Verdict.PASS).holds
    assert not comes_out("it", runs.contained, Verdict.FAIL).holds


@pytest.mark.parametrize("name", LIES)
def test_every_lie_is_noticed(runs: Runs, name: str) -> None:
    found = noticed(name, *LIES[name](runs.told))
    assert found.holds, found.words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("an ending is lost", "never ended"),
        ("the generator is late", "late (p99)"),
        ("the control is unsteady", "the control was not steady"),
        ("the fault does nothing", "x10 asked, x1 measured"),
        ("clean-up is in doubt", "clean-up is unverified"),
        ("the control asks other requests", "seed"),
        ("the control has the fault", "a fault of its own"),
    ],
)
def test_a_lie_is_noticed_for_what_it_is(runs: Runs, name: str, words: str) -> None:
    assert words in noticed(name, *LIES[name](runs.told)).words


def test_a_judge_that_believes_everything_is_told_as_a_bug(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(oracle, "judge_pair", lambda fault, control: runs.contained)
    believed = [noticed(name, *lie(runs.told)) for name, lie in LIES.items()]
    assert not any(found.holds for found in believed)
    monkeypatch.setattr(consult, "examine_virtually", lambda: iter(believed))
    assert consult.run_oracles() is ExitCode.BUG
    assert "FAIL  virtual: an ending is lost" in capsys.readouterr().out


def test_no_oracle_at_all_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consult, "examine_virtually", lambda: iter([]))
    assert consult.run_oracles() is ExitCode.BUG


def test_a_judge_that_never_fails_anything_does_not_hold(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examine, "judge_pair", lambda fault, control: runs.contained)
    monkeypatch.setattr(examine, "virtually", lambda *_: runs.told.fault)
    monkeypatch.setattr(examine, "LIES", {})
    held = {found.name: found.holds for found in examine.examine_virtually()}
    assert held == {
        "negative control": False,
        "positive control": False,
        "identical arms": True,
        "contained is told as contained": True,
    }


def test_real_controls_that_do_not_come_out_tell_of_the_machine_and_not_of_the_judge(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = oracle.Oracle("it", holds=True, words="")
    wrong = oracle.Oracle("it", holds=False, words="")
    monkeypatch.setattr(consult, "examine_virtually", lambda: iter([right]))
    monkeypatch.setattr(consult, "refuse_leftovers", lambda: None)
    for real, code in ((right, ExitCode.PASS), (wrong, ExitCode.INCONCLUSIVE)):
        monkeypatch.setattr(consult, "examine_really", lambda make, real=real: iter([real]))
        assert consult.run_oracles("torch") is code
