"""Identical arms on real processes: how often the gate blames a fault that is not there, on this machine.

Each seed of the pool is run three times in a row, as the arms of a pair are, so that six ordered pairs come
from it; a decision has 12 seeds and one pair of each.
"""

import random
import tempfile
from dataclasses import replace
from itertools import permutations
from pathlib import Path

from bench.gate_errors.deciding import decide
from bench.gate_errors.outcome import identical, table
from bench.gate_errors.simulated import pruned
from bench.gate_errors.study import LOOKS, SHORT
from bench.report import Section
from harness.arms import Arm
from harness.config import find_preset, find_scenario, make_folder
from harness.errors import BadInput
from harness.judging.history import History
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.real_deployment import Options
from harness.reporting.progress import NoProgress
from harness.serving.leftovers import refuse_leftovers
from harness.suite import Planned, make_history

ARMS = 3  # of each seed
PRESET = "none"


def measure_real(decisions: int, seeds: int) -> Section:
    """BadInput for a pool too small for one decision."""
    if seeds < LOOKS.most:
        raise BadInput(f"--seeds must be at least {LOOKS.most}, one for each pair of a decision; got {seeds}")
    refuse_leftovers()
    with tempfile.TemporaryDirectory() as folder:
        pairs = {seed: _pairs(seed, Path(folder) / str(seed)) for seed in range(1, seeds + 1)}
    found = identical("identical real arms", [decide(drawn, LOOKS) for drawn in draw(pairs, decisions)])
    return Section(
        title="gate_errors: identical arms on real processes",
        how=f"torch on the CPU; pool of {seeds} seeds with {ARMS} arms each, reused by {decisions} decisions",
        figures=tuple(found.figures),
        notes=tuple(table([found])),
    )


def draw(pairs: dict[int, list[PairResult]], decisions: int) -> list[list[PairResult]]:
    """For each decision as many seeds as it may need, no one twice, and of each one pair."""
    rng = random.Random("real")
    return [
        [rng.choice(pairs[seed]) for seed in rng.sample(sorted(pairs), LOOKS.most)] for _ in range(decisions)
    ]


def _pairs(seed: int, folder: Path) -> list[PairResult]:
    arms = [_arm(seed, make_folder(folder / str(number))) for number in range(ARMS)]
    return [pruned(judge_pair(first, second)) for first, second in permutations(arms, 2)]


def _arm(seed: int, folder: Path) -> History:
    short = replace(find_scenario("slow_worker"), phases=SHORT)
    planned = Planned(short, find_preset(PRESET), Arm.CONTROL)
    return make_history(planned, seed, Options(device="cpu"), folder, NoProgress())
