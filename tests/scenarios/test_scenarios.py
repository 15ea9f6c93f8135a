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
LEAST_DECIDED_RATIO = 0.5
# Each takes most of a minute; all scenarios under all presets are run in virtual time.
CASES = [
    ("healthy", "contain"),
    ("slow_worker", "none"),
    ("slow_worker", "libraries"),
    ("slow_worker", "timeout_breaker_shed"),
    ("slow_worker", "contain"),
    ("dead_worker", "none"),
    ("slow_link", "none"),
    ("slow_link", "contain"),
]

_verdicts: list[Verdict] = []


@pytest.mark.real
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("scenario", "preset"), CASES)
def test_the_verdict_is_the_stated_one(scenario: str, preset: str, tmp_path: Path) -> None:
    planned = Planned(SCENARIOS[scenario], PRESETS[preset])
    for _ in range(TRIES):
        (result,) = run_all([planned], 1, Options(device="cpu"), tmp_path)
        if result.verdict is not Verdict.INCONCLUSIVE:
            break
    _verdicts.append(result.verdict)
    assert result.clean
    assert not result.law.contradicted
    if result.verdict is Verdict.INCONCLUSIVE:
        pytest.skip(f"this machine was too busy {TRIES} times: {explain(result)}")
    assert result.verdict == planned.expected, explain(result)


@pytest.mark.real
def test_most_runs_are_decided() -> None:
    """So that a machine on which nothing can be decided does not pass for one on which all is well."""
    if len(_verdicts) < len(CASES):
        pytest.skip("only told after all of them")
    undecided = _verdicts.count(Verdict.INCONCLUSIVE)
    assert undecided <= (1 - LEAST_DECIDED_RATIO) * len(CASES)


def explain(result: RunResult) -> str:
    return "\n".join([f"{result.verdict}: {result.headline}", *result.reasons, result.law.words])
