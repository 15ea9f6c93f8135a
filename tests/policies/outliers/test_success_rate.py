"""Envoy's success-rate rule."""

from math import sqrt
from statistics import fmean, pstdev

import pytest

from policies.outliers.success_rate import low_success


def rates(hosts, bad=0.0, good=1.0):
    return {f"w{number}": bad if number == 0 else good for number in range(hosts)}


# fact 5 of the survey: z-scores cannot work on small pools
@pytest.mark.parametrize("hosts", [2, 3, 4])
def test_among_four_or_fewer_nobody_is_found_even_if_every_call_of_one_fails(hosts):
    assert low_success(rates(hosts), 1.9) == []


@pytest.mark.parametrize("hosts", [5, 6, 50])
def test_from_five_on_the_one_that_fails_is_found(hosts):
    assert low_success(rates(hosts), 1.9) == ["w0"]


@pytest.mark.parametrize("hosts", [2, 3, 4, 5, 9, 100])
def test_the_largest_possible_distance_is_the_root_of_the_others_number(hosts):
    values = list(rates(hosts).values())
    assert (fmean(values) - values[0]) / pstdev(values) == pytest.approx(sqrt(hosts - 1))


def test_a_second_failing_host_hides_both_among_five():
    assert low_success({"w0": 0.0, "w1": 0.0, "w2": 1.0, "w3": 1.0, "w4": 1.0}, 1.9) == []


def test_equal_rates_and_no_rates_find_nobody():
    assert low_success(rates(8, bad=0.4, good=0.4), 1.9) == []
    assert low_success({}, 1.9) == []
