"""The scenarios that a gate's file asks for: one for each of its faults, with its workers and phases.

Its load is not in them: that is a share of a capacity which has to be measured first.
"""

from dataclasses import replace

from harness.config import find_scenario
from harness.errors import BadInput
from harness.fault_text import with_fault
from harness.gating.gate_file import GateFile
from harness.scenario import Scenario


def asked_scenarios(gate: GateFile) -> list[Scenario]:
    """In the order of the file. BadInput, as far as `read_gate_file` has not said it before."""
    base = with_size(find_scenario(gate.scenario), gate)
    return [with_fault(base, text) for text in gate.faults] or [base]


def with_size(scenario: Scenario, gate: GateFile) -> Scenario:
    """BadInput for fewer workers than the scenario can be with."""
    workers = scenario.topology.workers if gate.workers is None else gate.workers
    try:
        return replace(
            scenario,
            topology=replace(scenario.topology, workers=workers),
            phases=replace(scenario.phases, **gate.phases),
        )
    except ValueError as wrong:
        raise BadInput(f"workers: {workers} are too few. {wrong}") from wrong
