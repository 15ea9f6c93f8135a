"""A fault in place of a scenario's own: what it replaces, by what it is sized, that a token carries it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.cli import run_command_line
from harness.config import find_preset, find_scenario
from harness.errors import BadInput
from harness.exit_codes import ExitCode
from harness.fault_text import NOT_AS_STATED, bound_s, find_faults, sized, with_fault
from harness.fleet import Fleet
from harness.judging.history import FaultChanged
from harness.judging.reading import read_history
from harness.judging.result import RunResult
from harness.reporting.names import Names
from harness.results import HISTORY, run_folder
from harness.serving.cost_sets import TINY_CPU
from harness.suite import plan_runs
from harness.virtual_run import VirtualRun

SLOW = find_scenario("slow_worker")
RUN = VirtualRun(
    scenario="slow_worker", preset="timeout", seed=1, costs=TINY_CPU, fault="link_latency(latency=0.5timeout)"
)


def test_a_fault_takes_the_place_of_the_scenarios_own_and_its_promises_are_void() -> None:
    other = with_fault(SLOW, "link_latency(2)")
    assert (other.fault.kind, other.fault_replaced, other.expects) == ("link_latency", True, {})
    assert (other.callers, other.phases) == (SLOW.callers, SLOW.phases)
    assert with_fault(SLOW, "") is SLOW


def test_a_scenario_without_a_fault_may_get_one() -> None:
    assert with_fault(find_scenario("healthy"), "slow_steps").faulted_names() == ["worker-0"]


def test_the_same_fault_written_twice_runs_once() -> None:
    assert find_faults(["slow_steps", "slow_steps(factor=10)", "slow_steps(3)"]) == [
        "slow_steps(factor=10)",
        "slow_steps(factor=3)",
    ]


@pytest.mark.parametrize(
    ("preset", "by_s"), [("timeout", 1.0), ("resilience4j_defaults", 1.0), ("contain", 10.0)]
)
def test_a_size_is_measured_by_the_bound_that_a_late_answer_meets_first(preset: str, by_s: float) -> None:
    pipeline = find_preset(preset).build(4)
    assert bound_s(pipeline) == by_s
    found = sized(with_fault(SLOW, "link_latency(3timeout)"), pipeline, preset)
    assert found.fault.parameters()["latency_s"] == 3 * by_s


def test_without_a_timeout_nothing_is_started_and_the_preset_is_named() -> None:
    with pytest.raises(BadInput, match=r"^link_latency\(latency_s=2timeout, .* under none: 2timeout needs"):
        plan_runs(
            SLOW, [find_preset("timeout"), find_preset("none")], find_faults(["link_latency(2timeout)"])
        )


def test_every_preset_runs_with_every_fault() -> None:
    presets, faults = [find_preset("none"), find_preset("timeout")], find_faults(["slow_steps", "freeze"])
    plan = plan_runs(SLOW, presets, faults)
    assert [(each.preset.name, each.ordered) for each in plan] == [
        (preset.name, fault) for preset in presets for fault in faults
    ]
    assert all(each.expected is None for each in plan)
    (own,) = plan_runs(SLOW, presets[:1], [])
    assert (own.ordered, own.expected) == ("", SLOW.expects["none"])


def test_a_token_carries_the_fault_as_it_was_written() -> None:
    assert VirtualRun.of(RUN.token()) == RUN
    assert replace(RUN, fault="").token() != RUN.token()
    assert RUN.title == "slow_worker with link_latency(latency=0.5timeout) x timeout, seed 1"


def test_the_factor_of_a_fleet_is_that_of_the_fault_that_was_ordered() -> None:
    run = replace(RUN, fault="slow_decode(factor=2)", fleet=Fleet(factor=7.0))
    assert run.resized().fault.parameters() == {"factor": 7.0}


def test_a_history_has_what_was_written_and_what_was_asked_at_each_level(tmp_path: Path) -> None:
    fault = "link_latency(latency=0.5timeout, shape=ramp(rise=4))"
    result = replace(RUN, fault=fault).conduct(tmp_path)
    history = read_history(tmp_path / HISTORY)
    shape = "ramp(rise_s=4, from_ratio=0, hold_s=inf, fall_s=0)"
    written = f"link_latency(latency_s=0.5timeout, connections_ratio=1, shape={shape})"
    assert history.setup.fault.written == written
    assert history.setup.fault.parameters["latency_s"] == 0.5
    changes = history.of(FaultChanged)
    assert [change.asked for change in changes if change.active] == [
        pytest.approx(0.5 * change.level) for change in changes if change.active
    ]
    assert result.bite.as_asked
    assert result.law.assumes == "without a policy and always at its strongest"
    assert Names(["timeout"]).title(result) == f"slow_worker with {history.setup.fault.written} x timeout"


def test_a_severity_series_has_a_folder_for_each_and_is_told_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = ["--fault", "slow_steps(2)", "--fault", "slow_steps(10)"]
    words = ["run", "slow_worker", "--engine", "virtual", "--costs", "tiny_cpu", "--out", str(tmp_path)]
    assert run_command_line([*words, *faults]) == ExitCode.FAIL
    found = [RunResult.from_json(path.read_text()) for path in tmp_path.glob("*/result.json")]
    assert sorted(result.setting.fault_ordered for result in found) == [
        "slow_steps(factor=10)",
        "slow_steps(factor=2)",
    ]
    shown = " ".join(capsys.readouterr().out.split())
    assert NOT_AS_STATED in shown
    assert "PASS slow_worker with slow_steps(factor=2) x none" in shown
    assert "FAIL slow_worker with slow_steps(factor=10) x none" in shown


def test_many_seeds_of_a_series_are_told_by_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "slow_worker", "--engine", "virtual", "--costs", "tiny_cpu", "--out", str(tmp_path)]
    more = ["--seeds", "2", "--jobs", "1", "--fault", "slow_steps(2)", "--fault", "slow_steps(10)"]
    assert run_command_line([*words, *more]) == ExitCode.FAIL
    shown = " ".join(capsys.readouterr().out.split())
    assert "slow_steps(factor=2) x none: of 2 seeds 2 contained" in shown
    assert "slow_steps(factor=10) x none: of 2 seeds 2 spread" in shown


def test_a_replay_is_of_the_same_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = replace(RUN, fault="slow_steps(3)").conduct(tmp_path / "before")
    code = run_command_line(
        ["replay", result.replay, "--against", str(tmp_path), "--out", str(tmp_path / "x")]
    )
    assert code == ExitCode.PASS
    assert "the same history to the byte" in " ".join(capsys.readouterr().out.split())


def test_runs_of_different_faults_have_different_folders(tmp_path: Path) -> None:
    names = {
        run_folder(tmp_path, "s", "none", fault).name for fault in ("", "slow_steps(1)", "slow_steps(2)")
    }
    assert len(names) == 3
