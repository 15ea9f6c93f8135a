"""Which further runs a score and the easy case ask for."""

from functools import partial

import pytest

from harness.arms import Arm
from harness.gating.other_arms import score_of, spread_if_dead
from harness.gating.rounds import Cell
from harness.judging.result import Verdict
from tests.harness.gating.fake_rounds import CALM, P95
from tests.harness.judging.pairs.made import made

SEED = 5
PAIRS = [made(SEED + number, P95, figure) for number, figure in enumerate(CALM)]
NUMBERS = list(range(len(CALM)))


class Alone:
    """Runs of another arm are those of the pairs, with a verdict of the test's choice."""

    def __init__(self, *verdicts):
        self.asked = []
        self.verdicts = verdicts or [Verdict.PASS]

    def alone(self, cell, arm, numbers):
        self.asked.append((cell, arm, list(numbers)))
        verdicts = [self.verdicts[number % len(self.verdicts)] for number in numbers]
        return [
            pair.fault.model_copy(update={"verdict": verdict})
            for pair, verdict in zip(PAIRS, verdicts, strict=True)
        ]


scored = partial(score_of, pairs=PAIRS, seed=SEED, error=0.05)


def test_a_score_asks_for_the_worker_removed_and_for_no_policy_with_the_seeds_of_the_pairs():
    rounds, cell = Alone(), Cell("contain", "stall")
    scored(cell, rounds=rounds)
    assert rounds.asked == [
        (cell, Arm.REMOVED, NUMBERS),
        (Cell("none", "stall"), Arm.FAULT, NUMBERS),
    ]


def test_no_policy_is_not_run_again_for_its_own_score():
    rounds, cell = Alone(), Cell("none", "")
    scored(cell, rounds=rounds)
    assert [arm for _, arm, _ in rounds.asked] == [Arm.REMOVED]


@pytest.mark.parametrize(("verdicts", "hits"), [([Verdict.PASS], 0), ([Verdict.FAIL, Verdict.PASS], 4)])
def test_the_easy_case_is_counted_with_its_interval(verdicts, hits):
    rounds, cell = Alone(*verdicts), Cell("contain", "")
    found = spread_if_dead(cell, PAIRS, SEED, rounds)
    assert rounds.asked == [(cell, Arm.DEAD, NUMBERS)]
    assert (found.hits, found.of) == (hits, len(CALM))
    assert found.lower <= hits / len(CALM) <= found.upper
