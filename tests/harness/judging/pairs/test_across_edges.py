"""Logarithms at their ends, the order of measures, and what becomes of a single pair."""

from math import inf

import pytest

from harness.judging.pairs.across import log_of, measures_across
from tests.harness.judging.pairs.made import measure


def test_of_nothing_the_logarithm_is_minus_infinity():
    assert (log_of(0.0), log_of(1.0), log_of(inf)) == (-inf, 0.0, inf)


def test_one_pair_is_its_own_median_without_bounds():
    (found,) = measures_across([[measure(3.0)]], 0.05)
    assert found.value == pytest.approx(3.0)
    assert (found.lower, found.upper) == (0.0, inf)


def test_measures_keep_the_order_of_the_first_pair():
    one, other = measure(1.0), measure(1.0, "goodput_loss")
    found = measures_across([[one, other], [other, one]], 0.1)
    assert [each.name for each in found] == ["latency_inflation", "goodput_loss"]


def test_of_no_pairs_there_are_no_measures():
    assert measures_across([], 0.1) == []


def test_other_measures_decide_as_they_did_whatever_the_latencies_do():
    lost, latency = measure(0.0, "goodput_loss"), measure(1.0, quantile=0.5, deciding=False)
    found = measures_across([[lost, latency]], 0.1)
    assert [each.deciding for each in found] == [True, False]


def test_the_raw_figures_are_medians_of_those_that_there_are():
    known = [measure(1.0, before=before) for before in (1.0, 3.0, None)]
    (found,) = measures_across([[each] for each in known], 0.1)
    assert (found.before, found.during) == (2.0, None)


def test_a_quantile_between_the_median_and_the_highest_never_decides():
    each = [measure(1.0, quantile=quantile) for quantile in (0.5, 0.9, 0.95)]
    found = measures_across([each, each], 0.1)
    assert [each.deciding for each in found] == [True, False, True]


def test_a_caller_whose_latency_decides_nothing_keeps_it_so_beside_one_whose_does():
    silent = measure(1.0, quantile=0.5, about="silent", deciding=False)
    found = measures_across([[silent, measure(1.0, quantile=0.5)]], 0.1)
    assert [each.deciding for each in found] == [False, True]
