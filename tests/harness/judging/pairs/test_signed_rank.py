from math import inf, nan

import numpy as np
import pytest
from scipy.stats import wilcoxon

from harness.judging.pairs.signed_rank import _tail as tail
from harness.judging.pairs.signed_rank import chance_below, estimate, reach_of, smallest_error

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("count", range(4, 15))
def test_the_chance_is_that_of_scipys_exact_test(count):
    for _ in range(20):
        values = RNG.normal(0.4, 1.0, count)
        exact = wilcoxon(values, alternative="greater", method="exact").pvalue
        assert chance_below(values, 0.0) == pytest.approx(exact)


@pytest.mark.parametrize("count", [6, 8, 10, 12])
@pytest.mark.parametrize("error", [0.05, 0.05 / 3])
def test_the_interval_holds_the_limits_that_the_test_does_not_reject(count, error):
    if reach_of(count, error) is None:
        assert smallest_error(count) > error
        return
    for _ in range(30):
        values = RNG.normal(0.0, 1.0, count)
        found = estimate(values, error)
        for limit in np.linspace(-1.5, 1.5, 31):
            assert (found.lower > limit) == (chance_below(values, limit) <= error / 2)
            assert (found.upper < limit) == (chance_below(-values, -limit) <= error / 2)


@pytest.mark.parametrize(("count", "error", "wrong_most"), [(8, 0.05 / 3, 0.0167), (12, 0.05, 0.05)])
def test_the_truth_lies_outside_no_more_often_than_stated(count, error, wrong_most):
    rng = np.random.default_rng(1)
    outside = 0
    for _ in range(4000):
        found = estimate(rng.standard_t(3, count), error)
        outside += not found.lower <= 0 <= found.upper
    assert outside / 4000 <= wrong_most + 3 * (wrong_most / 4000) ** 0.5
    assert outside / 4000 >= 0.3 * wrong_most


def test_so_few_pairs_give_no_interval():
    found = estimate([1.0, 1.1, 1.2, 1.3, 1.4], 0.05)
    assert (found.lower, found.upper) == (-inf, inf)
    assert found.centre == pytest.approx(1.2)
    assert smallest_error(8) == 0.0078125


def test_the_centre_is_the_median_of_all_averages_of_two():
    assert estimate([1.0, 2.0, 9.0], 0.5).centre == 3.5  # of 1, 1.5, 2, 5, 5.5, 9


def test_infinite_effects_are_effects():
    found = estimate([inf] * 8, 0.05)
    assert (found.centre, found.lower, found.upper) == (inf, inf, inf)
    mixed = estimate([inf, -inf] * 4, 0.05)
    assert (mixed.lower, mixed.upper) == (-inf, inf)
    assert mixed.centre == 0.0


def test_pairs_that_all_agree_leave_no_width():
    found = estimate([1.3] * 8, 0.05)
    assert (found.centre, found.lower, found.upper) == (1.3, 1.3, 1.3)
    assert chance_below([1.3] * 8, 1.3) == 1.0


def test_of_no_pairs_there_is_no_median():
    with pytest.raises(ValueError, match="no pairs"):
        estimate([], 0.05)


def test_a_chance_that_is_exactly_half_the_error_is_small_enough():
    assert reach_of(8, smallest_error(8)) == 0
    assert reach_of(8, smallest_error(8) * (1 - 1e-9)) is None


def test_an_error_that_rounding_put_a_hair_below_is_reached_all_the_same():
    assert reach_of(8, smallest_error(8) * (1 - 1e-14)) == 0


def test_the_table_of_chances_is_made_once():
    assert tail(12) is tail(12)
    assert len(tail(12)) == 12 * 13 // 2 + 1  # one for each sum that ranks can have


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="no number"):
        estimate([1.0, nan, 2.0], 0.05)
