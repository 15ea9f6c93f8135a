"""How many pairs are run, in which order, and when an experiment ends."""

from types import SimpleNamespace

import pytest

from harness.arms import Arm
from harness.experiment import first_of, order, pair_folder, until_decided
from harness.judging.pairs.looks import Looks
from harness.judging.result import Verdict

LOOKS = Looks.planned(8, 12, 0.05)


class Numbered:
    """Pairs that are only their numbers."""

    def __init__(self):
        self.asked = []

    def pairs(self, first, count):
        self.asked.append((first, count))
        return [SimpleNamespace(number=first + index) for index in range(count)]

    def alone(self, arm, number):
        raise AssertionError("nobody asked for another arm")


def decided_at(count, verdict):
    return lambda pairs: verdict if len(pairs) >= count else Verdict.INCONCLUSIVE


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
@pytest.mark.parametrize(
    ("count", "asked"), [(8, [(0, 8)]), (9, [(0, 8), (8, 2)]), (12, [(0, 8), (8, 2), (10, 2)])]
)
def test_pairs_are_added_until_a_verdict_is_reached_and_none_after_it(verdict, count, asked):
    experiment = Numbered()
    pairs = until_decided(experiment, LOOKS, decided_at(count, verdict))
    assert experiment.asked == asked
    assert [pair.number for pair in pairs] == list(range(sum(more for _, more in asked)))


def test_what_stays_undecided_ends_with_the_last_look():
    experiment = Numbered()
    assert len(until_decided(experiment, LOOKS, decided_at(99, Verdict.PASS))) == 12
    assert experiment.asked[-1] == (10, 2)


def test_each_look_judges_all_pairs_so_far():
    seen = []
    until_decided(Numbered(), LOOKS, lambda pairs: seen.append(len(pairs)) or Verdict.INCONCLUSIVE)
    assert seen == [8, 10, 12]


def test_a_drift_meets_both_arms_alike():
    """Fault and control take turns to be first: over two pairs each stands at the same mean place."""
    places = {arm: [order(number).index(arm) for number in range(4)] for arm in (Arm.FAULT, Arm.CONTROL)}
    assert sum(places[Arm.FAULT]) == sum(places[Arm.CONTROL])
    assert [first_of(number) for number in range(4)] == [order(number)[0] for number in range(4)]


def test_folders_of_pairs_sort_as_they_were_run(tmp_path):
    names = [pair_folder(tmp_path, number).name for number in range(12)]
    assert names == sorted(names)
