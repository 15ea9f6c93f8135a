"""By the queue that the shortest latency suggests: numbers in, a number out."""

import pytest

from policies.limits.limit_vegas import LimitVegas
from policies.pool import Pool


def vegas(base_s=1.0, **parameters):
    """A rule that has seen its base."""
    rule = LimitVegas(**parameters).rule()
    rule.sample(base_s, in_flight=20)
    assert (rule.base_s, rule.limit) == (base_s, rule.limit)
    return rule


@pytest.mark.parametrize(
    ("seconds", "limit"),
    [
        (1.0, 26),  # no queue: by beta
        (20 / 19, 26),  # of one
        (20 / 18, 21),  # of two: by one
        (20 / 17, 20),  # of three, from alpha on: stays
        (20 / 14, 20),  # of six, up to beta: stays
        (20 / 13, 19),  # of seven
        (100.0, 19),
    ],
)
def test_the_queue_says_where_the_limit_goes(seconds, limit):
    rule = vegas()
    rule.sample(seconds - 1e-9 if seconds > 1 else seconds, in_flight=20)
    assert rule.limit == limit


def test_the_steps_grow_with_the_logarithm_of_the_limit():
    rule = vegas(initial_limit=100)
    rule.sample(1.0, in_flight=100)
    assert rule.limit == 112


def test_a_shorter_sample_becomes_the_base_and_moves_nothing():
    rule = vegas()
    rule.sample(0.5, in_flight=20)
    assert (rule.base_s, rule.limit) == (0.5, 20)


@pytest.mark.parametrize(("in_flight", "limit"), [(9, 20), (10, 19)])
def test_below_half_the_limit_a_sample_moves_nothing(in_flight, limit):
    for hear in ("sample", "at_least"):
        rule = vegas()
        getattr(rule, hear)(100.0, in_flight)
        assert rule.limit == limit


def test_a_drop_lowers_it_however_little_is_in_flight_and_never_below_the_least():
    rule = vegas(min_limit=18)
    for limit in (19, 18, 18):
        rule.drop(None, in_flight=1)
        assert rule.limit == limit


def test_a_lower_bound_never_raises_it_nor_becomes_the_base():
    rule = vegas()
    rule.at_least(0.1, in_flight=20)
    rule.at_least(1.2, in_flight=20)
    assert (rule.base_s, rule.limit) == (1.0, 20)


def test_smoothing_goes_part_of_the_way():
    rule = vegas(smoothing_ratio=0.5)
    rule.sample(1.0, in_flight=20)
    assert rule.limit == 23


def samples_until_measured_afresh(rule):
    epoch, samples = rule.epoch, 0
    while rule.epoch == epoch:
        rule.sample(1.4, in_flight=1)
        samples += 1
    return samples


def test_the_base_is_measured_afresh_after_half_to_all_of_thirty_times_the_limit():
    policy = LimitVegas()
    policy.bind(Pool(seed=3))
    counts = [samples_until_measured_afresh(policy.rule()) for _ in range(50)]
    assert 300 <= min(counts) < 330
    assert 570 < max(counts) <= 600


def test_a_lasting_fault_becomes_the_base():
    rule = vegas()
    for _ in range(40):
        rule.sample(10.0, in_flight=int(rule.limit))
    low = rule.limit
    assert low <= 7
    for _ in range(1000):
        rule.sample(10.0, in_flight=int(rule.limit))
    assert (rule.base_s, rule.limit > 50) == (10.0, True)
