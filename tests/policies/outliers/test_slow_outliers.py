"""Which of several workers count as slow."""

import pytest

from policies.outliers.slow_outliers import is_overload, slow_outliers


def test_those_at_the_ratio_or_above_are_slow_the_order_kept():
    assert slow_outliers({"a": 9.0, "b": 2.0, "c": 1.99, "d": 0.2}, 2.0, 3.5) == ["a", "b"]


@pytest.mark.parametrize("slow", [3, 4])
def test_more_than_half_slow_is_overload_and_nobody_is_to_blame(slow):
    ratios = {f"w{number}": 5.0 if number < slow else 1.0 for number in range(4)}
    assert slow_outliers(ratios, 2.0, 3.5) == []
    assert is_overload(ratios, 2.0)


def test_half_of_them_slow_is_no_overload():
    assert not is_overload({"a": 2.0, "b": 2.0, "c": 1.99, "d": 1.0}, 2.0)


def test_one_of_two_may_be_slow_and_nobody_of_none():
    assert slow_outliers({"a": 5.0, "b": 0.2}, 2.0, 3.5) == ["a"]
    assert slow_outliers({}, 2.0, 3.5) == []


def test_from_five_on_a_pool_that_differs_widely_hides_what_is_only_twice_as_slow():
    wide = {"a": 2.1, "b": 1.6, "c": 1.0, "d": 0.7, "e": 0.5}
    assert slow_outliers(wide, 2.0, 3.5) == []
    assert slow_outliers(wide, 2.0, 0.5) == ["a"]
    assert slow_outliers(wide | {"a": 20.0}, 2.0, 3.5) == ["a"]


def test_a_pool_without_any_spread_hides_nobody():
    assert slow_outliers({"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 1.0}, 2.0, 3.5) == ["a"]
