"""Token buckets that keep one number each."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.throttles.generic_cell_rate import GenericCellRate

QUICK = settings(max_examples=100, deadline=None, derandomize=True)
arrivals = st.lists(
    st.tuples(st.sampled_from([0.0, 0.01, 0.1, 0.5, 3.0]), st.integers(0, 6)), min_size=1, max_size=40
)


def offer(buckets, cost, now, key="a"):
    """Whether it was let through."""
    if buckets.wait_s(key, cost, now) > 0:
        return False
    buckets.take(key, cost, now)
    return True


def test_a_burst_passes_and_then_the_rate():
    buckets = GenericCellRate(rate_per_s=2.0, burst=4.0)
    assert [offer(buckets, 1, 0.0) for _ in range(5)] == [True] * 4 + [False]
    assert buckets.wait_s("a", 1, 0.0) == pytest.approx(0.5)
    assert [offer(buckets, 1, 0.5) for _ in range(2)] == [True, False]


def test_a_pause_fills_the_bucket_and_no_more():
    buckets = GenericCellRate(rate_per_s=2.0, burst=4.0)
    assert sum(offer(buckets, 1, 1000.0) for _ in range(10)) == 4
    assert sum(offer(buckets, 1, 9000.0) for _ in range(10)) == 4


def test_what_is_larger_than_the_bucket_never_fits():
    buckets = GenericCellRate(rate_per_s=2.0, burst=4.0)
    assert buckets.wait_s("a", 4.001, 0.0) == float("inf")
    assert buckets.wait_s("a", 4, 0.0) == 0


def test_each_key_has_a_bucket_of_its_own():
    buckets = GenericCellRate(rate_per_s=1.0, burst=1.0)
    assert [offer(buckets, 1, 0.0, key) for key in "aabb"] == [True, False, True, False]


@QUICK
@given(arrivals=arrivals, rate=st.sampled_from([0.3, 1.0, 7.0]), burst=st.integers(1, 5))
def test_no_span_of_time_lets_more_through_than_burst_and_rate_allow(arrivals, rate, burst):
    buckets, now, passed = GenericCellRate(rate, burst), 0.0, []
    for pause_s, cost in arrivals:
        now += pause_s
        if offer(buckets, cost, now):
            passed.append((now, cost))
    for first in range(len(passed)):
        used = 0
        for at, cost in passed[first:]:
            used += cost
            assert used <= burst + rate * (at - passed[first][0]) + 1e-4


@QUICK
@given(arrivals=arrivals, rate=st.sampled_from([0.3, 1.0, 7.0]), burst=st.integers(1, 5))
def test_whoever_waits_as_long_as_told_is_let_through_and_not_before(arrivals, rate, burst):
    buckets, now = GenericCellRate(rate, burst), 1e5
    for pause_s, cost in arrivals:
        now += pause_s
        wait_s = buckets.wait_s("a", cost, now)
        if cost > burst:
            assert wait_s == float("inf")
            continue
        if wait_s:
            assert not offer(buckets, cost, now + 0.99 * wait_s - 1e-5)
        now += wait_s
        assert offer(buckets, cost, now)


@QUICK
@given(arrivals=arrivals, names=st.lists(st.sampled_from("abcd"), min_size=40, max_size=40))
def test_a_forgotten_bucket_was_full_so_forgetting_changes_nothing(arrivals, names):
    shared, now = GenericCellRate(2.0, 5.0), 0.0
    alone = {name: GenericCellRate(2.0, 5.0) for name in "abcd"}
    for (pause_s, cost), name in zip(arrivals, names, strict=False):
        now += pause_s
        assert offer(shared, cost, now, name) == offer(alone[name], cost, now, name)


def test_callers_are_forgotten_once_their_buckets_are_full_again():
    buckets = GenericCellRate(rate_per_s=1.0, burst=5.0)
    for number in range(10_000):
        offer(buckets, 1, number * 0.1, key=number)
        offer(buckets, 1, number * 0.1, key="busy")
        assert len(buckets) <= 15
        assert len(buckets._look) == len(buckets)
