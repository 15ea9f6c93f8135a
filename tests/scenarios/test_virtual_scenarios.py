"""Every scenario under every preset, as a pair in virtual time: the verdict is the one that it states."""

from pathlib import Path

import pytest

from harness.arms import Arm
from harness.judging.result import RunResult
from harness.results import HISTORY
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_round import VirtualRound
from harness.virtual_run import VirtualRun, digest
from policies.presets import PRESETS
from scenarios import SCENARIOS

CASES = [(scenario, preset) for scenario in SCENARIOS for preset in PRESETS]


@pytest.mark.parametrize(("scenario", "preset"), CASES)
def test_the_verdict_is_the_stated_one(scenario: str, preset: str, tmp_path: Path) -> None:
    run = VirtualRun(scenario=scenario, preset=preset, seed=1, costs=TINY_CPU)
    (pair,) = VirtualRound((run,), 0).conduct(tmp_path).pairs
    result = pair.fault
    assert result.verdict == SCENARIOS[scenario].expects[preset], explain(result)
    assert result.clean
    assert not result.law.contradicted, explain(result)
    assert sum(result.outcomes.values()) == result.offered
    assert (result.replay, result.digest) == (run.token(), digest(tmp_path / Arm.FAULT / HISTORY))


def explain(result: RunResult) -> str:
    return "\n".join([f"{result.verdict}: {result.headline}", *result.reasons, result.law.words])
