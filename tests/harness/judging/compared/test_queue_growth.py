import numpy as np
import pytest
from scipy.stats import theilslopes

from harness.judging.compared.queue_growth import slope_at_least
from tests.harness.judging.compared.handmade import START_S, Fate, fault, measured

API = ("queue_growth", "api")


def a_growing_line(caller, number, at_s):
    """Who comes t into the fault waits t / 2: of 10 a second a third of all that came so far are in line."""
    return Fate(waited_s=(at_s - START_S) / 2 if caller == "local" and fault(at_s) else 0.0)


def test_a_line_that_grows_is_compared_with_the_usual_one():
    found = measured(a_growing_line)[API]
    assert found.before == 0
    assert found.during == pytest.approx(19.5 * 10 / 3, rel=0.02)  # the mean over the last of 20 seconds
    assert found.value == pytest.approx(found.during + 1)
    assert found.lower == found.value
    assert found.proved


def test_the_usual_line_is_the_controls_longest_but_for_one_in_a_hundred():
    found = measured(a_growing_line, calm=lambda *_: Fate(waited_s=0.2))[API]
    assert found.before in (4.0, 5.0)  # of 25 that come in a second those of 0.2 s
    assert found.value == pytest.approx((found.during + 1) / (found.before + 1))


def test_a_line_that_is_long_and_grows_no_more_proves_nothing():
    found = measured(lambda caller, *_: Fate(waited_s=2.0 if caller == "local" else 0.0))[API]
    assert found.during == pytest.approx(20, abs=0.5)
    assert found.value > found.mild
    assert found.lower == 1.0
    assert not found.proved


@pytest.mark.parametrize("rise", [0.0, 0.05, 1.0])
def test_the_bound_on_the_slope_is_sens(rise):
    times = np.arange(40) / 2
    values = rise * times + np.random.default_rng(3).normal(size=40)
    assert slope_at_least(times, values) == pytest.approx(theilslopes(values, times, alpha=0.98).low_slope)


def test_three_points_tell_no_slope():
    assert slope_at_least(np.arange(3.0), np.arange(3.0)) == float("-inf")


def test_a_line_that_the_control_has_for_a_while_is_usual_too():
    found = measured(calm=lambda caller, _, at_s: Fate(waited_s=0.55 if 20 <= at_s < 23 else 0.0))[API]
    assert found.before > 10  # of 25 a second, though in most of the time nobody waits
