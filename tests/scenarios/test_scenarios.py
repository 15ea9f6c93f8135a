"""Every scenario on real processes: the verdict is the one that the scenario states.

These take most of a minute each and need the machine to themselves. Leave them out with -m "not real".
"""

from pathlib import Path

import pytest

from harness.judging.result import RunResult, Verdict
from harness.real_deployment import Options
from harness.suite import Planned, run_all
from policies.presets import PRESETS
from scenarios import SCENARIOS

TRIES = 3  # INCONCLUSIVE tells of a busy machine; a verdict that was reached is never asked for again
# Each takes most of a minute; the others are variations of these, and are run in virtual time.
RUN_FOR_REAL = ("none", "timeout", "libraries", "timeout_breaker_shed", "contain")
CASES = [(scenario, preset) for scenario in SCENARIOS for preset in RUN_FOR_REAL]


@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("scenario", "preset"), CASES)
def test_the_verdict_is_the_stated_one(scenario: str, preset: str, tmp_path: Path) -> None:
    planned = Planned(SCENARIOS[scenario], PRESETS[preset])
    for _ in range(TRIES):
        (result,) = run_all([planned], 1, Options(device="cpu"), tmp_path)
        if result.verdict is not Verdict.INCONCLUSIVE:
            break
    assert result.verdict == planned.expected, explain(result)
    assert result.clean
    assert not result.law.contradicted


def explain(result: RunResult) -> str:
    return "\n".join([f"{result.verdict}: {result.headline}", *result.reasons, result.law.words])
