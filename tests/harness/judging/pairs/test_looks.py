import numpy as np
import pytest

from harness.judging.pairs.looks import Looks
from harness.judging.pairs.signed_rank import estimate


def test_three_looks_share_the_error():
    looks = Looks.planned(8, 12, 0.05)
    assert looks.after == (8, 10, 12)
    assert looks.error_each == pytest.approx(0.05 / 3)


@pytest.mark.parametrize(
    ("cells", "after"),
    [(1, (8, 10, 12)), (2, (8, 10, 12)), (3, (10, 12)), (12, (10, 12)), (13, (12,)), (102, (12,))],
)
def test_many_cells_are_looked_at_later_since_each_must_be_surer(cells, after):
    assert Looks.planned(8, 12, 0.05, cells).after == after


def test_what_cannot_be_decided_is_refused_with_the_pairs_it_takes():
    with pytest.raises(ValueError, match="it takes 13"):
        Looks.planned(8, 12, 0.05, 103)
    with pytest.raises(ValueError, match="1 blocking objective with 95% confidence: it takes 6"):
        Looks.planned(4, 5, 0.05)


def test_looking_three_times_is_wrong_no_more_often_than_looking_once():
    """The truth is the limit: the chance that any look puts the interval wholly on one side of it."""
    rng, looks = np.random.default_rng(3), Looks.planned(8, 12, 0.05)
    wrong = 0
    for _ in range(3000):
        values = rng.normal(0.0, 0.15, looks.most)
        found = [estimate(values[:after], looks.error_each) for after in looks.after]
        wrong += any(each.upper < 0 for each in found)
    assert wrong / 3000 <= 0.025


def test_the_last_look_has_the_most_pairs():
    assert Looks((8, 10, 12), 0.05).most == 12


def test_an_error_that_so_many_pairs_reach_exactly_is_reached():
    assert Looks.planned(8, 8, 2**-7).after == (8,)
    with pytest.raises(ValueError, match=r"it takes 8$"):
        Looks.planned(6, 6, 2**-7)


def test_the_refusal_counts_what_is_to_be_decided():
    with pytest.raises(ValueError, match="cannot decide 2 blocking objectives with"):
        Looks.planned(6, 6, 0.05, 2)
    with pytest.raises(ValueError, match="cannot decide 1 blocking objective with"):
        Looks.planned(5, 5, 0.05)
