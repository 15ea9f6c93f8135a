"""Whatever a test gives for a policy or a fault is the text that tokens and reports know."""

import pytest

from faults.engine.slow_steps import SlowSteps
from harness.config import find_preset
from harness.errors import BadInput
from harness.testing.policy_text import fault_text, policy_text
from policies.notation import parse, spell
from policies.presets import PRESETS

TEXT = "timeout(ttft_s=2.0) | retry()"


def spelled(name: str, workers: int = 4) -> list[str]:
    return [spell(policy) for policy in find_preset(name).build(workers).policies]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_is_its_name_and_its_pipeline_is_the_same_pipeline_as_text(name: str) -> None:
    assert policy_text(name, 4) == policy_text(PRESETS[name], 4) == name
    pipeline = PRESETS[name].build(4)
    assert spelled(policy_text(pipeline, 4)) == [spell(policy) for policy in pipeline.policies]


def test_a_policy_and_several_are_a_pipeline() -> None:
    timeout, retry = parse(TEXT)
    assert spelled(policy_text(timeout, 4)) == spelled("timeout(ttft_s=2.0)")
    assert spelled(policy_text([timeout, retry], 4)) == spelled(TEXT)


def test_what_is_no_policy_is_refused_with_what_would_be() -> None:
    for given in (7, [], [1], None):
        with pytest.raises(BadInput, match="takes a preset"):
            policy_text(given, 4)  # type: ignore[arg-type]


def test_a_fault_is_its_text() -> None:
    assert fault_text(None) == ""
    assert fault_text("slow_steps(3)") == "slow_steps(3)"
    assert fault_text(SlowSteps(factor=3)) == "slow_steps(factor=3)"
    for given in ("", 3):
        with pytest.raises(BadInput, match="takes a fault"):
            fault_text(given)  # type: ignore[arg-type]
