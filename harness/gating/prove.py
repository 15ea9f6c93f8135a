"""Whether this set-up can tell good from bad: a bad policy must spread here, and a good one must contain."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from harness.errors import LimplockError
from harness.exit_codes import ExitCode
from harness.gating.gate_file import GateFile, PairsPlan
from harness.gating.plan import Plan, plan_gate
from harness.gating.rounds import Cell
from harness.gating.runs import rounds_of
from harness.judging.pairs.cell import CellResult, judge_cell
from harness.judging.pairs.looks import Looks
from harness.judging.pairs.objective import Objective
from harness.judging.result import Verdict
from harness.real_deployment import Options

SCENARIO = "slow_worker"
BAD, GOOD = "none", "contain"
MUST = {BAD: Verdict.FAIL, GOOD: Verdict.PASS}
PAIRS = {"torch": 6, "virtual": 8}  # real: the fewest that can decide
ERROR = 0.05


class CannotTell(LimplockError):
    """A verdict of this set-up would mean nothing."""

    exit_code = ExitCode.INCONCLUSIVE


def prove(plan: Plan, options: Options, folder: Path, told: Callable[[str], None]) -> None:
    """CannotTell unless `none` fails and `contain` passes, at the size and load of the gate."""
    count = PAIRS[plan.gate.engine]
    for policy, must in MUST.items():
        trial = _trial(plan, policy, count)
        cell = Cell(policy, "")
        pairs = rounds_of(trial, options, folder, lambda words: None).run([cell], 0, count)[cell]
        check(policy, must, judge_cell(pairs, ERROR))
        told(f"proof: {policy} came out {must} on {SCENARIO} in {count} pairs")


def check(policy: str, must: Verdict, found: CellResult) -> None:
    if found.verdict is not must:
        raise CannotTell(
            f"this set-up cannot tell good from bad: {policy} must be {must} on {SCENARIO}, it came out"
            f" {found.verdict} ({found.headline}). Use the scenario's load, or a machine that is less busy"
        )


def _trial(plan: Plan, policy: str, count: int) -> Plan:
    """The same engine, costs, size and load, on the scenario whose outcome is known."""
    asserted = Objective(id="any", metric="retry_amplification", bound="max", limit=1.0)
    gate: GateFile = replace(
        plan.gate,
        scenario=SCENARIO,
        policy=policy,
        faults=(),
        phases={},
        baseline=None,
        objectives=(asserted,),
        pairs=PairsPlan(least=count, most=count, confidence_ratio=1 - ERROR),
    )
    trial = plan_gate(gate, plan.chosen, jobs=plan.jobs)
    return replace(trial, looks=Looks.planned(count, count, ERROR))
