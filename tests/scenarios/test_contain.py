"""What the preset `contain` promises, over factors and seeds, and that it keeps quiet when all is well."""

from pathlib import Path

import pytest

from bench.false_alarms import LOADS, PIPELINES, SHEDDING_MAY_FROM, judgements, watch
from harness.fleet import Fleet
from harness.judging.result import RunResult, Verdict
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun

SEEDS = range(1, 4)
FOUND_WITHIN_S = 21.0  # the fault's length; a median far below is the bench's to report


def conduct(preset: str, factor: float, seed: int, folder: Path) -> RunResult:
    run = VirtualRun(
        scenario="slow_worker", preset=preset, seed=seed, costs=TINY_CPU, fleet=Fleet(factor=factor)
    )
    return run.conduct(folder)


@pytest.mark.parametrize("factor", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("seed", SEEDS)
def test_contain_holds_a_slow_worker_and_shuts_no_healthy_one_out(factor, seed, tmp_path):
    result = conduct("contain", factor, seed, tmp_path)
    assert result.verdict is Verdict.PASS, result.headline
    assert result.metrics["false_alarms"].during == 0
    assert (result.metrics["touched_goodput_ratio"].during or 0) > 0.97
    detected_s = result.metrics["detection_s"].during
    assert detected_s is None or detected_s <= FOUND_WITHIN_S


@pytest.mark.parametrize("factor", [5, 10, 20])
def test_without_it_the_same_faults_spread(factor, tmp_path):
    assert conduct("none", factor, 1, tmp_path).verdict is Verdict.FAIL


def watched(text: str, load: float, seeds: range) -> None:
    for seed in seeds:
        alarms = watch(text, load, seed)
        assert not judgements(alarms), (text, load, seed, judgements(alarms))
        if load < SHEDDING_MAY_FROM:
            assert not alarms.refused, (text, load, seed, alarms.refused)


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("text", PIPELINES, ids=["contain", "judges", "limits"])
def test_no_policy_raises_a_false_alarm_on_answers_of_very_different_lengths(text, load):
    watched(text, load, range(1, 6))


@pytest.mark.long  # for the other policies the bench does it: `python -m bench false_alarms`
@pytest.mark.timeout(900)
@pytest.mark.parametrize("load", LOADS)
def test_nor_does_contain_over_a_hundred_seeds(load):
    watched("contain", load, range(1, 101))
