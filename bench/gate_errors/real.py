"""Identical arms on real processes: how often the gate blames a fault that is not there, on this machine.

Each seed of the pool is run some times in a row, as the arms of a pair are: of three, six ordered pairs come.
A decision has 12 seeds and one pair of each.
"""

import random
import tempfile
from dataclasses import replace
from itertools import permutations
from pathlib import Path

from bench.gate_errors.deciding import decide
from bench.gate_errors.gate import CHAT, CONTAINED, PRESET, calm, plan_of
from bench.gate_errors.outcome import identical, table, undecided
from bench.gate_errors.simulated import pruned
from bench.gate_errors.study import SHORT
from bench.report import Section
from harness.arms import Arm
from harness.config import find_preset, find_scenario, make_folder
from harness.errors import BadInput
from harness.gating.plan import Plan
from harness.judging.history import History
from harness.judging.pairs.looks import Looks
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.real_deployment import Options
from harness.reporting.progress import NoProgress
from harness.scenario import Scenario
from harness.serving.leftovers import refuse_leftovers
from harness.suite import Planned, make_history


def measure_real(decisions: int, seeds: int, arms: int, most: int) -> Section:
    """`most`: pairs of a decision. BadInput for a pool too small for one decision."""
    if seeds < most or most < 1 or arms < 2:
        raise BadInput(f"a decision of {most} pairs needs --seeds {most} and --arms 2 at least")
    refuse_leftovers()
    with tempfile.TemporaryDirectory() as folder:
        pairs = {seed: _pairs(seed, arms, Path(folder) / str(seed)) for seed in range(1, seeds + 1)}
    plan = plan_within(most)
    found = identical("identical real arms", [decide(each, plan) for each in draw(pairs, decisions, most)])
    return Section(
        title="gate_errors: identical arms on real processes",
        how=f"torch on the CPU; pool of {seeds} seeds with {arms} arms each, reused by {decisions} decisions",
        figures=tuple(found.figures),
        notes=(*table([found]), *undecided([found])),
    )


def plan_within(most: int) -> Plan:
    """The gate's own. Of fewer pairs than it asks for a single look: shows only that all this works."""
    plan = plan_of(_scenario(), (CONTAINED, calm(CHAT)))
    return plan if most >= plan.looks.most else replace(plan, looks=Looks((most,), plan.looks.error))


def draw(pairs: dict[int, list[PairResult]], decisions: int, most: int) -> list[list[PairResult]]:
    """For each decision as many seeds as it may need, no one twice, and of each one pair."""
    rng = random.Random("real")
    return [[rng.choice(pairs[seed]) for seed in rng.sample(sorted(pairs), most)] for _ in range(decisions)]


def _pairs(seed: int, count: int, folder: Path) -> list[PairResult]:
    arms = [_arm(seed, make_folder(folder / str(number))) for number in range(count)]
    return [pruned(judge_pair(first, second)) for first, second in permutations(arms, 2)]


def _arm(seed: int, folder: Path) -> History:
    planned = Planned(_scenario(), find_preset(PRESET), Arm.CONTROL)
    return make_history(planned, seed, Options(device="cpu"), folder, NoProgress())


def _scenario() -> Scenario:
    return replace(find_scenario("slow_worker"), phases=SHORT)
