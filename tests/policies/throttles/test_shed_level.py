"""How much to shed, and of whom."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.throttles.shed_level import RejectRatio, TimeAverage, Traffic, line

QUICK = settings(max_examples=100, deadline=None, derandomize=True)
counts = st.dictionaries(st.integers(0, 5), st.floats(0.01, 1000), min_size=1, max_size=5)


def refused_share(counts, level):
    """Of traffic whose calls draw their places within a priority evenly."""
    above = sum(n * min(1.0, max(0.0, priority + 1 - level)) for priority, n in counts.items())
    return above / sum(counts.values())


@pytest.mark.parametrize(
    ("ratio", "level"),
    [(0.0, inf), (0.1, 2.5), (0.2, 2.0), (0.5, 1.5), (0.8, 1.0), (0.9, 0.5), (1.0, 0.0)],
)
def test_the_line_is_where_the_share_of_the_traffic_above_it_is_the_share_to_refuse(ratio, level):
    assert line({0: 20.0, 1: 60.0, 2: 20.0}, ratio) == pytest.approx(level)


def test_without_traffic_nobody_is_refused():
    assert line({}, 0.9) == inf


def test_traffic_of_one_priority_is_shed_by_shares():
    assert line({1: 50.0}, 0.3) == pytest.approx(1.7)


@QUICK
@given(counts=counts, ratio=st.floats(0.001, 1.0))
def test_just_that_share_is_refused_whatever_the_traffic(counts, ratio):
    assert refused_share(counts, line(counts, ratio)) == pytest.approx(ratio, abs=1e-6)


@QUICK
@given(counts=counts, low=st.floats(0, 1), high=st.floats(0, 1))
def test_the_more_is_to_be_refused_the_lower_the_line(counts, low, high):
    low, high = sorted((low, high))
    assert line(counts, high) <= line(counts, low) + 1e-9


@pytest.mark.parametrize("load", [0.5, 0.79, 1.0, 2.0, 8.0])
def test_the_controller_ends_where_the_target_is_met(load):
    ratio = RejectRatio(target=0.8, gain=0.1, most=0.95)
    for _ in range(300):
        ratio.update(load * (1 - ratio.value), 1.0)
    assert ratio.value == pytest.approx(max(0.0, 1 - 0.8 / load), abs=1e-3)


def test_without_load_the_controller_forgets_also_in_one_long_interval():
    for intervals in ([1.0] * 12, [12.0]):
        ratio = RejectRatio(target=0.8, gain=0.1, most=0.95)
        for _ in range(100):
            ratio.update(9.0, 1.0)
        assert ratio.value == 0.95
        for length in intervals:
            ratio.update(0.0, length)
        assert ratio.value == 0.0


def test_a_long_interval_counts_once_on_the_way_up():
    ratio = RejectRatio(target=0.8, gain=0.1, most=0.95)
    assert ratio.update(1.8, 500.0) == pytest.approx(0.1)


@QUICK
@given(st.lists(st.tuples(st.floats(0, 100), st.floats(1, 100)), max_size=30))
def test_the_share_to_refuse_stays_within_its_bounds(updates):
    ratio = RejectRatio(target=0.8, gain=1.0, most=0.9)
    assert all(0 <= ratio.update(*update) <= 0.9 for update in updates)


def test_old_traffic_counts_less_and_priorities_that_nobody_uses_are_forgotten():
    traffic = Traffic()
    for _ in range(8):
        traffic.add(2)
    assert traffic.next_interval() == {2: 8.0}
    traffic.add(1)
    assert traffic.next_interval() == {2: 4.0, 1: 1.0}
    for _ in range(20):
        last = traffic.next_interval()
    assert last == {}


def test_the_mean_is_over_time_and_not_over_changes():
    average = TimeAverage()
    average.add(1, 10.0)
    average.add(3, 19.0)
    assert average.take(20.0) == pytest.approx((9 * 1 + 1 * 4) / 20)
    average.add(-4, 21.0)
    assert average.take(24.0) == pytest.approx(1.0)
    assert (average.value, average.take(24.0)) == (0, 0.0)
