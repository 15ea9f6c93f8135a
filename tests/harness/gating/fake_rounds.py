"""Rounds without runs: pairs with figures of a test's choice."""

from pathlib import Path

from harness.gating.gate_file import GateFile, PairsPlan
from harness.gating.plan import plan_gate
from harness.serving.cost_store import choose_costs
from tests.harness.judging.pairs.made import made, objective

P95 = "e2e_s.p95_all"
CALM = [1.0, 1.1, 0.95, 1.05, 1.2, 1.0, 0.9, 1.1]
EDGE = [1.4, 1.6, 1.3, 1.5, 1.7, 1.45, 1.25, 1.55]


class FakeRounds:
    """`figures`: by fault, repeated as often as is asked."""

    def __init__(self, **figures):
        self.figures = figures
        self.asked = []

    def run(self, cells, first, number):
        self.asked.append(([(cell.policy, cell.fault) for cell in cells], first, number))
        return {
            cell: [
                made(1 + index, P95, self._figure(cell.fault, index))
                for index in range(first, first + number)
            ]
            for cell in cells
        }

    def _figure(self, fault, index):
        name = fault.partition("(")[0] or "own"
        values = self.figures[name]
        return values[index % len(values)]

    def alone(self, cell, arm, numbers):
        raise AssertionError("nobody asked for another arm")


def gate_file(path=Path("gate.yaml"), *, objectives=None, most=12, **more):
    return GateFile(
        path=path,
        engine="virtual",
        policy="contain",
        phases={"fault_s": 60.0},  # long enough for a p95 of the tenant
        objectives=tuple(objectives or [objective(line=7)]),
        pairs=PairsPlan(least=8, most=most),
        **more,
    )


def planned(gate=None, **more):
    return plan_gate(gate or gate_file(), choose_costs("tiny_cpu"), jobs=2, **more)
