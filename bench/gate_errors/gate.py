"""The gate that is measured: its objectives and its plan. All else is `limplock gate`'s own."""

from collections.abc import Sequence
from pathlib import Path

from bench.gate_errors.study import COSTS
from harness.gating.gate_file import GateFile
from harness.gating.plan import Plan, looks_of
from harness.judging.bystanders import INFLATION
from harness.judging.pairs.objective import Objective
from harness.scenario import Scenario
from harness.serving.cost_store import Chosen

PRESET, CHAT = "none", "chat"
# What spreads by the design's definition: of all bystanders and quantiles the worst one.
CONTAINED = Objective(id="contained", metric="latency_inflation", bound="max", limit=INFLATION[0])


def calm(caller: str, limit: float = 1.5) -> Objective:
    """Its p95 latency against the control."""
    return Objective(id="calm", metric="e2e_s.p95_all", of=caller, bound="max_vs_control", limit=limit)


def plan_of(scenario: Scenario, objectives: Sequence[Objective]) -> Plan:
    """With the pairs and the confidence that a gate has if its file says nothing of them."""
    gate = GateFile(path=Path("gate_errors"), engine="virtual", policy=PRESET, objectives=tuple(objectives))
    chosen = Chosen(COSTS, "of this experiment")
    return Plan(gate=gate, scenarios=(scenario,), looks=looks_of(gate), chosen=chosen)
