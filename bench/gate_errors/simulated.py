"""The pool of pairs, simulated: each arm once at each speed that a draw asks for, whoever is its pair."""

import multiprocessing
import random
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

from bench.gate_errors.gate import PRESET
from bench.gate_errors.noise import disturbed
from bench.gate_errors.study import COSTS, Draw, Study, by_seed
from harness.arms import Arm, in_arm
from harness.clock import run_virtual
from harness.config import find_preset
from harness.judging.history import History
from harness.judging.pairs.pair import PairResult, judge_pair
from harness.judging.result import RunResult
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.virtual_deployment import deploy_virtual


def pool(study: Study, decisions: Sequence[Sequence[Draw]], jobs: int) -> Mapping[Draw, PairResult]:
    """Every pair that the decisions draw. The number of processes changes nothing but the time it takes."""
    needed = by_seed(decisions)
    work = partial(_of_seed, study)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as processes:
        parts = processes.map(work, needed.values())
        return {draw: pair for part in parts for draw, pair in part}


def _of_seed(study: Study, draws: Sequence[Draw]) -> list[tuple[Draw, PairResult]]:
    """All pairs of one seed, so that each arm is run once and its history forgotten with the seed."""

    @cache
    def candidate(seed: int, level: int) -> History:
        return make(study, study.arm, seed, level, "candidate")

    @cache
    def control(seed: int, level: int) -> History:
        return make(study, Arm.CONTROL, seed, level, "control")

    return [(d, pruned(judge_pair(candidate(d.seed, d.fault), control(d.seed, d.control)))) for d in draws]


def make(study: Study, arm: Arm, seed: int, level: int, side: str) -> History:
    """One arm. `side`: two arms at one level are disturbed differently."""
    costs = disturbed(COSTS, level, random.Random(f"{study.load} {side} {seed} {level}"))
    scenario = in_arm(study.scenario(), arm)
    with tempfile.TemporaryDirectory() as folder:
        deploy = partial(deploy_virtual, costs=costs)
        work = run(scenario, find_preset(PRESET), seed, deploy, Path(folder) / "history.jsonl", NoProgress())
        return run_virtual(work)


def pruned(pair: PairResult) -> PairResult:
    """Without what no decision reads: thousands of pairs are held at once."""

    def bare(run: RunResult) -> RunResult:
        return run.model_copy(update={"places": [], "causes": [], "metrics": {}, "reasons": []})

    control = bare(pair.control).model_copy(update={"measures": []})
    return pair.model_copy(update={"fault": bare(pair.fault), "control": control})
