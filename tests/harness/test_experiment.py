"""In which order the arms of a pair are run, and where its files are."""

from harness.arms import Arm
from harness.experiment import first_of, order, pair_folder


def test_a_drift_meets_both_arms_alike():
    """Fault and control take turns to be first: over two pairs each stands at the same mean place."""
    places = {arm: [order(number).index(arm) for number in range(4)] for arm in (Arm.FAULT, Arm.CONTROL)}
    assert sum(places[Arm.FAULT]) == sum(places[Arm.CONTROL])
    assert [first_of(number) for number in range(4)] == [order(number)[0] for number in range(4)]


def test_folders_of_pairs_sort_as_they_were_run(tmp_path):
    names = [pair_folder(tmp_path, number).name for number in range(12)]
    assert names == sorted(names)
