"""Faults of the command line: `--fault "periodic_stall(stall=0.5, every=2)"` in place of a scenario's own."""

from collections.abc import Sequence
from dataclasses import replace

from faults.fault import Fault
from faults.notation import read_fault, spell
from faults.process.gpu_limit import GpuLimit
from harness.errors import BadInput
from harness.lasting import lasting_s
from harness.scenario import Scenario
from policies.pipeline import Pipeline

NOT_AS_STATED = "with --fault, what the scenario foretells for presets (PASS or FAIL) is not checked"


def find_faults(texts: Sequence[str]) -> list[str]:
    """Each once, in the order given and in one way of writing. BadInput says what is wrong."""
    return list(dict.fromkeys(spell(_read(text)) for text in texts))


def with_fault(scenario: Scenario, text: str) -> Scenario:
    """The scenario with another fault, if `text` is not empty. What it stated for presets is void then.

    For a fault that is not always at its strongest the fault phase is longer, see `lasting_s`.
    """
    if not text:
        return scenario
    fault = _read(text)
    phases = replace(scenario.phases, fault_s=lasting_s(fault.shape, scenario.phases.fault_s))
    return replace(scenario, fault=fault, phases=phases, fault_replaced=True, expects={})


def bound_s(pipeline: Pipeline) -> float:
    """The timeout by which faults are sized: whichever of its bounds a late answer meets first."""
    return min(pipeline.timers.ttft_s, pipeline.timers.attempt_s)


def sized(scenario: Scenario, pipeline: Pipeline, preset: str) -> Scenario:
    """With numbers for shares of the timeout of `pipeline`, called `preset`. BadInput if it has none."""
    fault = scenario.fault
    if fault is None:
        return scenario
    try:
        found = fault.sized(bound_s(pipeline))
    except ValueError as wrong:
        raise BadInput(f"{spell(fault)} under {preset}: {wrong}") from wrong
    return scenario if found is fault else replace(scenario, fault=found)


def check_simulated(fault: Fault | None) -> None:
    """BadInput for what a virtual run has nothing to put it on."""
    if isinstance(fault, GpuLimit):
        raise BadInput(
            f"{fault.kind} needs a GPU, and a virtual run has none. Use slow_steps or gpu_hog, or a real run"
        )


def _read(text: str) -> Fault:
    try:
        return read_fault(text)
    except ValueError as wrong:
        raise BadInput(f"--fault: {wrong}") from wrong
