"""The exact binomial bound, held against its definition."""

from math import comb

import pytest

from harness.judging.pairs.pooled import at_least, at_most, requests_needed


@pytest.mark.parametrize(("hits", "count"), [(0, 40), (1, 40), (7, 100), (39, 40)])
@pytest.mark.parametrize("error", [0.05, 0.005])
def test_so_few_hits_come_with_the_chance_of_the_error_at_the_bound(hits, count, error):
    share = at_most(hits, count, error)
    chance = sum(comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(hits + 1))
    assert chance == pytest.approx(error)


def test_the_lower_bound_mirrors_the_upper_one():
    assert at_least(33, 40, 0.05) == pytest.approx(1 - at_most(7, 40, 0.05))


@pytest.mark.parametrize(("hits", "count"), [(0, 0), (40, 40)])
def test_nothing_is_excluded_where_nobody_was_spared(hits, count):
    assert at_most(hits, count, 0.05) == 1.0


def test_so_many_requests_without_a_hit_are_just_enough():
    needed = requests_needed(0.001, 0.025)
    assert at_most(0, needed, 0.025) <= 0.001 < at_most(0, needed - 1, 0.025)
