"""The arms of a pair: the run with the fault, and what it is held against."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from faults.process.killed import Killed
from harness.errors import BadInput
from harness.scenario import Scenario


class Arm(StrEnum):
    """The same requests each time. `REMOVED` is the best any client policy can do, `DEAD` the easy case."""

    FAULT = "fault"
    CONTROL = "control"
    REMOVED = "removed"
    DEAD = "dead"


def in_arm(scenario: Scenario, arm: Arm) -> Scenario:
    """What runs in `arm` of a pair about `scenario`. BadInput where there is no such arm."""
    match arm:
        case Arm.FAULT:
            return scenario
        case Arm.CONTROL:
            return replace(scenario, fault=None, fault_replaced=False)
        case Arm.REMOVED:
            _check_spared(scenario, arm)
            spared = tuple(replace(caller, avoids_fault=True) for caller in scenario.callers)
            return replace(scenario, fault=None, fault_replaced=False, callers=spared)
        case Arm.DEAD:
            _check_spared(scenario, arm)
            return replace(scenario, fault=Killed(), fault_replaced=True, expects={})


def control_names(scenarios: Sequence[Scenario]) -> list[str]:
    """For each scenario the name of its control; those whose controls are the same have one together."""
    names: list[tuple[Scenario, str]] = []
    for number, scenario in enumerate(scenarios):
        control = in_arm(scenario, Arm.CONTROL)
        known = next((name for other, name in names if other == control), None)
        names.append((control, known or (f"control-{number}" if number else "control")))
    return [name for _, name in names]


def _check_spared(scenario: Scenario, arm: Arm) -> None:
    if scenario.fault is None:
        raise BadInput(f"{scenario.name} has no fault, so no worker of it could be {arm}")
    if len(scenario.faulted_workers) == scenario.topology.workers:
        raise BadInput(f"all workers of {scenario.name} have the fault: none would be left were they {arm}")
