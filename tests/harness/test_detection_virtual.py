"""What the gates of whole virtual runs did: found in time, and nobody else shut out."""

from pathlib import Path

import pytest

from harness.judging.result import RunResult
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun

BREAKER = "timeout(ttft=1, attempt=2) | breaker_window(window=4, min_calls=5, slow_ttft=0.5, slow_tpot=0.12)"


def ran(folder: Path, scenario: str, preset: str) -> RunResult:
    return VirtualRun(scenario=scenario, preset=preset, seed=1, costs=TINY_CPU).conduct(folder)


def told(result: RunResult) -> tuple[float | None, float | None]:
    return result.metrics["detection_s"].during, result.metrics["false_alarms"].during


def test_a_breaker_that_knows_slow_calls_finds_the_slow_worker_within_seconds(tmp_path: Path) -> None:
    after_s, falsely = told(ran(tmp_path, "slow_worker", BREAKER))
    assert after_s is not None
    assert 0 < after_s < 5
    assert falsely == 0


@pytest.mark.parametrize("pipeline", ["round_robin()", "bulkhead(2)", "timeout() | breaker_pybreaker()"])
def test_what_judges_no_slowness_finds_nothing_however_full_it_is(pipeline: str, tmp_path: Path) -> None:
    assert told(ran(tmp_path, "slow_worker", pipeline)) == (None, 0)


def test_on_a_healthy_pool_a_breaker_accuses_nobody(tmp_path: Path) -> None:
    assert told(ran(tmp_path, "healthy", BREAKER)) == (None, 0)
