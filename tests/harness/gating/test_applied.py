from pathlib import Path

import pytest

from faults.engine.periodic_stall import PeriodicStall
from faults.engine.slow_steps import SlowSteps
from harness.errors import BadInput
from harness.gating.applied import asked_scenarios
from harness.gating.gate_file import GateFile
from scenarios import SCENARIOS

SLOW = SCENARIOS["slow_worker"]


def gate(**values: object) -> GateFile:
    return GateFile(**({"path": Path("gate.yaml"), "policy": "contain"} | values))  # type: ignore[arg-type]


def test_a_gate_that_changes_nothing_asks_for_the_scenario_as_it_is() -> None:
    assert asked_scenarios(gate()) == [SLOW]


def test_each_fault_is_a_scenario_with_the_gates_workers_and_phases() -> None:
    found = asked_scenarios(
        gate(
            workers=6,
            phases={"fault_s": 33.0, "recovery_s": 8.0},
            faults=("slow_steps(factor=3)", "periodic_stall(stall=0.5, every=2)"),
        )
    )
    assert [scenario.fault for scenario in found] == [
        SlowSteps(factor=3),
        PeriodicStall(stall_s=0.5, every_s=2),
    ]
    for scenario in found:
        assert scenario.topology.workers == 6
        assert scenario.phases.fault_s >= 33
        assert (scenario.phases.recovery_s, scenario.phases.baseline_s) == (8, SLOW.phases.baseline_s)


def test_fewer_workers_than_bystanders_need_are_refused() -> None:
    with pytest.raises(BadInput, match="workers: 1 are too few"):
        asked_scenarios(gate(workers=1))
