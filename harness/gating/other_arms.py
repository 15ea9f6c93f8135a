"""Further arms of a gate, on request: the faulted worker removed, for the score, or dead instead of slow."""

from collections.abc import Callable, Sequence

from harness.arms import Arm, in_arm
from harness.errors import BadInput, unknown
from harness.gating.plan import Plan
from harness.gating.rounds import Cell, Rounds
from harness.judging.pairs.cell import Share
from harness.judging.pairs.gate_result import GateCell
from harness.judging.pairs.gate_verdict import sound_pairs
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.pairs.score import PolicyScore, policy_score
from harness.judging.result import RunResult, Verdict
from harness.judging.wilson import interval

CONTROLS = (Arm.REMOVED, Arm.DEAD)
NO_POLICY = "none"


def check_controls(text: str) -> list[Arm]:
    """`removed,dead`, each once. BadInput for others."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in CONTROLS:
            raise unknown("--controls arm", name, CONTROLS)
    return [Arm(name) for name in dict.fromkeys(names)]


def check_spared(plan: Plan, controls: Sequence[Arm]) -> None:
    """BadInput where there is no such arm, before anything is started."""
    for arm in controls:
        for scenario in plan.scenarios:
            try:
                in_arm(scenario, arm)
            except BadInput as wrong:
                raise BadInput(f"--controls {arm}: {wrong}") from wrong


def with_controls(
    cells: Sequence[GateCell],
    plan: Plan,
    rounds: Rounds,
    controls: Sequence[Arm],
    told: Callable[[str], None],
) -> list[GateCell]:
    """The cells with what their further arms say."""
    found = []
    for key, cell in zip(plan.candidate, cells, strict=True):
        for arm in controls:
            told(f"the arm {arm} of {cell.fault}")
            cell = _with(arm, key, cell, plan, rounds)
        found.append(cell)
    return found


def _with(arm: Arm, key: Cell, cell: GateCell, plan: Plan, rounds: Rounds) -> GateCell:
    pairs = sound_pairs(cell.cell.pairs)
    if not pairs:
        return cell
    seed, error = plan.gate.seed, plan.looks.error_each
    if arm is Arm.DEAD:
        return cell.model_copy(update={"dead": spread_if_dead(key, pairs, seed, rounds)})
    score = score_of(key, pairs, seed, rounds, error, plan.gate.objectives)
    return cell.model_copy(update={"score": score})


def score_of(
    key: Cell,
    pairs: Sequence[PairResult],
    seed: int,
    rounds: Rounds,
    error: float,
    objectives: Sequence[Objective] = (),
) -> PolicyScore:
    """Runs the faulted worker removed, and no policy where the cell has one. `seed`: of pair 0."""
    numbers = [pair.seed - seed for pair in pairs]
    removed = rounds.alone(key, Arm.REMOVED, numbers)
    none = candidate = [pair.fault for pair in pairs]
    if key.policy != NO_POLICY:
        none = rounds.alone(Cell(NO_POLICY, key.fault), Arm.FAULT, numbers)
    return policy_score(candidate, none, removed, [pair.control for pair in pairs], error, objectives)


def spread_if_dead(key: Cell, pairs: Sequence[PairResult], seed: int, rounds: Rounds) -> Share:
    """Runs the worker dead instead of slow."""
    return spread_of(rounds.alone(key, Arm.DEAD, [pair.seed - seed for pair in pairs]))


def spread_of(runs: Sequence[RunResult]) -> Share:
    """In how many of them bystanders suffered."""
    hits = sum(run.verdict is Verdict.FAIL for run in runs)
    lower, upper = interval(hits, len(runs))
    return Share(hits=hits, of=len(runs), lower=lower, upper=upper)
