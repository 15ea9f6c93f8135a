"""One more with each good answer, a tenth less with each bad: numbers in, a number out."""

import pytest

from policies.limits.limit_aimd import LimitAimd


def aimd(**parameters):
    return LimitAimd(**parameters).rule()


def test_each_good_sample_at_work_adds_one_up_to_the_most():
    rule = aimd(max_limit=23)
    limits = []
    for _ in range(5):
        rule.sample(0.1, in_flight=int(rule.limit))
        limits.append(rule.limit)
    assert limits == [21, 22, 23, 23, 23]


@pytest.mark.parametrize(("in_flight", "limit"), [(9, 20), (10, 21)])
def test_below_half_the_limit_a_good_sample_says_nothing(in_flight, limit):
    rule = aimd()
    rule.sample(0.1, in_flight)
    assert rule.limit == limit


def test_a_drop_leaves_nine_tenths_and_one_less_at_least():
    rule, limits = aimd(), []
    for _ in range(20):
        rule.drop(None, in_flight=1)
        limits.append(rule.limit)
    assert limits == [18, 16, 14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("hear", ["sample", "at_least"])
def test_what_is_longer_than_its_timeout_is_a_drop_however_little_is_in_flight(hear):
    for seconds, limit in ((5.0, 20), (5.1, 18)):
        rule = aimd()
        getattr(rule, hear)(seconds, 1)
        assert rule.limit == limit


def test_a_busy_worker_is_a_drop():
    rule = aimd()
    rule.decrease()
    assert rule.limit == 18


def test_slow_is_all_the_same_to_it_below_its_timeout():
    rule = aimd()
    for _ in range(1000):
        rule.sample(4.9, in_flight=int(rule.limit))
    assert rule.limit == 200


def test_a_drop_takes_one_away_even_where_the_ratio_would_leave_all():
    rule = aimd(backoff_ratio=1)
    rule.drop(None, in_flight=1)
    assert rule.limit == 19
