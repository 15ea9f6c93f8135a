"""By the latency against its own long-term mean: numbers in, a number out."""

import pytest

from policies.limits.limit_gradient2 import LimitGradient2
from policies.limits.limit_slo import LimitSlo


def gradient2(samples=0, seconds=1.0, **parameters):
    """A rule with so many samples behind it that moved nothing."""
    rule = LimitGradient2(**parameters).rule()
    for _ in range(samples):
        rule.sample(seconds, in_flight=0)
    return rule


def always_busy(rule, seconds, samples):
    for _ in range(samples):
        rule.sample(seconds, in_flight=int(rule.limit))
    return rule.limit


def test_the_first_ten_samples_are_averaged_and_then_each_weighs_two_parts_of_the_window():
    rule = gradient2(long_window=99)
    for seconds in range(1, 11):
        rule.sample(float(seconds), in_flight=0)
    assert rule.long_s == pytest.approx(5.5)
    rule.sample(55.5, in_flight=0)
    assert rule.long_s == pytest.approx(6.5)


@pytest.mark.parametrize(
    ("seconds", "limit"),
    [
        (1.0, 20 + 0.2 * 4),
        (1.5, 20 + 0.2 * 4),  # tolerated
        (2.0, 20 + 0.2 * (20 * 0.75 + 4 - 20)),
        (100.0, 20 + 0.2 * (20 * 0.5 + 4 - 20)),  # one sample says no more
    ],
)
def test_a_sample_moves_it_by_the_published_rule(seconds, limit):
    rule = gradient2(samples=20, long_window=10**9)
    rule.sample(seconds, in_flight=20)
    assert rule.limit == pytest.approx(limit)


@pytest.mark.parametrize(("in_flight", "moves"), [(9, False), (10, True)])
def test_below_half_the_limit_a_sample_moves_nothing(in_flight, moves):
    for hear in ("sample", "at_least", "drop"):
        rule = gradient2(samples=20)
        getattr(rule, hear)(100.0, in_flight)
        assert (rule.limit != 20) is moves


def test_a_mean_far_above_the_samples_is_of_a_bad_time_that_is_over():
    rule = gradient2(samples=20, seconds=10.0, long_window=10**9)
    rule.sample(1.0, in_flight=0)
    assert rule.long_s == pytest.approx(9.5)


def test_a_lower_bound_may_lower_it_and_leaves_the_mean_alone():
    rule = gradient2(samples=20)
    rule.at_least(1.4, in_flight=20)
    assert rule.limit == 20
    rule.at_least(10.0, in_flight=20)
    assert (rule.limit, rule.long_s) == (pytest.approx(18.8), pytest.approx(1.0))


def test_a_failure_that_says_nothing_of_time_changes_nothing_and_a_busy_worker_the_most():
    rule = gradient2(samples=20)
    rule.drop(None, in_flight=20)
    assert rule.limit == 20
    rule.decrease()
    assert rule.limit == pytest.approx(18.8)


# report 13: concurrency-limits#137
# report 13: failsafe-go#127
def test_a_constant_fault_becomes_the_baseline_and_the_limit_returns_to_its_most_where_slo_stays_low():
    rule = gradient2()
    always_busy(rule, 1.0, 600)
    assert always_busy(rule, 5.0, 30) < 20, "at first it does notice"
    assert always_busy(rule, 5.0, 970) == 200
    slo = LimitSlo(ttft_target_s=2).rule()
    always_busy(slo, 1.0 / 2, 600)
    assert always_busy(slo, 5.0 / 2, 1000) == 1


# report 14: concurrency-limits#134
@pytest.mark.parametrize("initial", [20, 100, 200])
def test_latency_that_stays_above_the_baseline_bounds_the_limit_whatever_is_added_for_a_queue(initial):
    rule = gradient2(samples=20, initial_limit=initial)
    for _ in range(500):
        rule.sample(1.5 * rule.long_s / 0.8, in_flight=int(rule.limit))
    assert rule.limit == pytest.approx(4 / (1 - 0.8), abs=1)


def test_the_published_least_of_twenty_cannot_hold_a_worker_of_eight_seats():
    rule = gradient2(samples=20, min_limit=20)
    for _ in range(100):
        rule.sample(100.0 * rule.long_s, in_flight=int(rule.limit))
    assert rule.limit == 20
