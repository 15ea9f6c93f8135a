"""Whole virtual runs with faults that look like health, or like death, and are neither."""

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from faults.engine.freeze import Freeze
from faults.engine.slow_steps import SlowSteps
from faults.fault import Fault
from faults.worker.instant_error import InstantError
from faults.worker.slow_health import SlowHealth
from harness.clock import VirtualLoop
from harness.config import find_preset
from harness.interrupts import run_to_the_end
from harness.judging.history import Attempted, History
from harness.judging.result import RunResult, Verdict
from harness.judging.verdict import judge
from harness.judging.windows import Window, timeline
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import DEFAULT_CALLERS, Scenario, Tier, Topology
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_deployment import deploy_virtual

BY_ERRORS = "outlier_errors() | round_robin()"  # sees what is refused, cut or answered with an error
BY_LATENCY = "timeout(ttft=1, attempt=2) | outlier_latency() | round_robin()"


def conduct(folder: Path, preset: str, fault: Fault | None, **changes: object) -> tuple[History, RunResult]:
    scenario = Scenario(name="gray", meaning="", fault=fault, expects={}, **changes)
    deploy = partial(deploy_virtual, costs=TINY_CPU)
    work = run(scenario, find_preset(preset), 1, deploy, folder / "history.jsonl", NoProgress())
    history = run_to_the_end(work, VirtualLoop)
    return history, judge(history)


def share_of_faulted(history: History, *, settled: bool = True) -> float:
    """Of the attempts that began in the second half of the fault, or at any time in it."""
    whole = timeline(history).fault
    window = Window(whole.start_s + whole.length_s / 2, whole.end_s) if settled else whole
    asked = Counter(each.worker for each in history.of(Attempted) if window.holds(each.started_s))
    return asked["worker-0"] / asked.total()


def health_s(history: History) -> list[float]:
    """How long the faulted worker's answers about its health took while the fault was there."""
    window = timeline(history).fault
    return [g.values["health_s"] for g in history.gauges("health worker-0") if window.holds(g.at_s)]


# report 23: vllm#36960
# report 23: vllm#39863
@pytest.mark.parametrize("fault", [Freeze(), SlowSteps(factor=20)], ids=["frozen", "20 times slower"])
def test_a_worker_whose_health_is_good_is_found_by_latency_and_by_nothing_else(
    fault: Fault, tmp_path: Path
) -> None:
    history, by_errors = conduct(tmp_path, BY_ERRORS, fault)
    assert len(health_s(history)) >= 20
    assert max(health_s(history)) == 0
    assert share_of_faulted(history, settled=False) > 0.15  # later all slots wait for it, and nobody is sent
    assert by_errors.verdict is Verdict.FAIL
    history, by_latency = conduct(tmp_path, BY_LATENCY, fault)
    assert share_of_faulted(history) < 0.1
    assert by_latency.verdict is Verdict.PASS


# report 24: ray#54070
@pytest.mark.parametrize("preset", ["contain", "timeout_breaker", BY_LATENCY, BY_ERRORS])
def test_a_worker_that_only_answers_late_about_its_health_is_not_taken_out(
    preset: str, tmp_path: Path
) -> None:
    history, result = conduct(tmp_path, preset, SlowHealth(delay_s=5))
    assert min(health_s(history)) == pytest.approx(5)
    assert share_of_faulted(history) == pytest.approx(0.2, abs=0.03)  # the tenants avoid it
    assert result.metrics["detection_s"].during is None
    assert result.verdict is Verdict.PASS


# report 24: Tanguille/cluster#4593
def test_a_pool_that_is_busy_is_not_a_pool_of_dead_workers(tmp_path: Path) -> None:
    callers = tuple(
        replace(caller, rate_rps=caller.rate_rps * 3.5) if caller.inference else caller
        for caller in DEFAULT_CALLERS
    )
    wide = Topology(services=(Tier(name="front", slots=900), Tier(name="api", slots=800)))
    history, result = conduct(
        tmp_path, "outlier_latency() | round_robin()", None, callers=callers, topology=wide
    )
    waiting = [g.values["waiting"] for g in history.gauges("worker-1")]
    assert max(waiting) > 8  # more than a batch behind
    assert result.metrics["false_alarms"].during == 0


# report 13: litmus#4934
def test_a_fault_at_a_worker_without_traffic_tells_nothing(tmp_path: Path) -> None:
    callers = tuple(
        replace(caller, avoids_fault=True) if caller.inference else caller for caller in DEFAULT_CALLERS
    )
    _, result = conduct(tmp_path, "none", SlowSteps(factor=10), callers=callers)
    assert result.verdict is Verdict.INCONCLUSIVE
    (guard,) = [guard for guard in result.guards if guard.name == "fault touched requests"]
    assert not guard.ok
    assert guard.words == "the fault touched no request: none was at worker-0 while it was on"


def test_a_worker_that_fails_at_once_draws_the_traffic_of_whoever_prefers_the_idle(tmp_path: Path) -> None:
    history, _ = conduct(tmp_path, "least_request(choices=4)", InstantError())
    drawn = share_of_faulted(history)
    history, _ = conduct(tmp_path, "round_robin()", InstantError())
    assert drawn > 2 * share_of_faulted(history)
