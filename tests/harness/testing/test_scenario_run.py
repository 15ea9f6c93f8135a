"""A scenario that has no name runs as if it had one, also in another process; only no token stands for it."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import scenarios
from harness.errors import BadInput
from harness.scenario import Phases
from harness.testing import conducting
from harness.testing.conducting import Asked
from harness.testing.scenario_run import ScenarioRun
from harness.virtual_run import VirtualRun

SHORT = Phases(warm_up_s=0.5, baseline_s=1.0, fault_s=1.0, recovery_s=0.5, drain_s=1.0)
LENGTHS = {"warm_up_s": 0.5, "baseline_s": 1.0, "fault_s": 1.0, "recovery_s": 0.5, "drain_s": 1.0}
WORKER = scenarios.SCENARIOS["slow_worker"]


def test_its_history_is_that_of_the_same_scenario_by_name(tmp_path: Path) -> None:
    value = conducting._virtual_run(Asked(scenario=replace(WORKER, phases=SHORT), policy="none"))
    named = conducting._virtual_run(Asked(scenario="slow_worker", policy="none", phases=LENGTHS))
    sent = pickle.loads(pickle.dumps(value))  # noqa: S301  # as to a process of ours
    sent.make(tmp_path / "value")
    named.make(tmp_path / "named")
    marks = sent.marks(tmp_path / "value"), named.marks(tmp_path / "named")
    assert marks[0]["digest"] == marks[1]["digest"]
    assert marks[0]["replay"] == "" != marks[1]["replay"]


def test_a_value_that_is_in_scenarios_keeps_its_token() -> None:
    run = conducting._virtual_run(Asked(scenario=WORKER, policy="none"))
    assert type(run) is VirtualRun
    changed = conducting._virtual_run(Asked(scenario=replace(WORKER, phases=SHORT), policy="none"))
    assert type(changed) is ScenarioRun


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seeds": 5}, "seeds=5: .* it takes 6"),
        ({"seeds": 0}, "seeds must be 1 to"),
        ({"seed": -1}, "seed must be 0 to"),
        ({"phases": {"fault": 30}}, "unknown phase 'fault'. Closest: fault_s"),
        ({"phases": {"fault_s": 0}}, "fault_s must be above 0 s"),
    ],
)
def test_what_cannot_decide_is_refused_before_anything_is_started(tmp_path: Path, given, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        conducting.conduct(Asked(scenario="slow_worker", policy="none", **given), tmp_path)
    assert not list(tmp_path.iterdir())
