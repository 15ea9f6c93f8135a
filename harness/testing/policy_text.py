"""What a test may give for a policy or a fault, as the text that replay tokens and reports know."""

from collections.abc import Sequence

from faults.fault import Fault
from faults.notation import spell as spell_fault
from harness.config import find_preset
from harness.errors import BadInput
from policies.notation import spell
from policies.pipeline import Pipeline
from policies.policy import Place, Policy
from policies.presets import PRESETS
from policies.presets.preset import Preset

Given = str | Policy | Pipeline | Preset | Sequence[Policy]


def policy_text(given: Given, workers: int) -> str:
    """A preset's name or a pipeline. BadInput for what no text can say again."""
    match given:
        case str():
            return find_preset(given).name
        case Preset():
            return given.name if PRESETS.get(given.name) == given else find_preset(given.text(workers)).name
        case Pipeline():
            return _pipeline_text(given, workers)
        case Policy():
            return find_preset(spell(given)).name
        case [*policies] if policies and all(isinstance(policy, Policy) for policy in policies):
            return find_preset(" | ".join(map(spell, policies))).name
    raise BadInput(
        f"policy: takes a preset, a pipeline as text, policies or a Pipeline, got a {type(given).__name__}"
    )


def fault_text(given: str | Fault | None) -> str:
    """Empty is the scenario's own."""
    match given:
        case None:
            return ""
        case Fault():
            return spell_fault(given)
        case str() if given.strip():
            return given
    raise BadInput(
        f"fault: takes a fault, its text such as 'slow_steps(factor=10)' or None, got {type(given).__name__}"
    )


def _pipeline_text(pipeline: Pipeline, workers: int) -> str:
    """In the order of a text, and without what its policies bring along, which they bring again."""
    brought = {type(more) for policy in pipeline.policies for more in policy.brings()}
    ordered = sorted(pipeline.policies, key=lambda policy: policy.place or Place.GATE)
    kept = [p for p in ordered if type(p) not in brought and type(p) is not Policy]
    name = find_preset(" | ".join(map(spell, kept))).name if kept else "none"
    if _spelled(find_preset(name).build(workers)) != _spelled(pipeline):
        raise BadInput("policy: this Pipeline cannot be written as text. Give the list of its policies")
    return name


def _spelled(pipeline: Pipeline) -> list[str]:
    return [spell(policy) for policy in pipeline.policies]
