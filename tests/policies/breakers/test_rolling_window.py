"""Counts of the last seconds."""

import random

import pytest

from policies.breakers.rolling_window import BUCKETS, Counts, RollingWindow
from policies.evidence import Evidence


def filled(span_s, endings):
    window = RollingWindow(span_s)
    for evidence, at_s in endings:
        window.add(evidence, at_s)
    return window


def test_failures_and_slow_ones_are_counted_apart_and_among_the_calls():
    window = filled(10, [(Evidence.SUCCESS, 1.0), (Evidence.FAILURE, 2.0), (Evidence.SLOW, 2.0)])
    assert window.counts(2.0) == Counts(calls=3, failures=1, slow=1)


def test_what_is_older_than_the_span_is_forgotten_within_one_bucket():
    window = filled(10, [(Evidence.FAILURE, 0.5)])
    assert window.counts(9.9).calls == 1
    assert window.counts(11.0).calls == 0


def test_looking_forgets_nothing():
    window = filled(10, [(Evidence.FAILURE, 0.5)])
    window.counts(1000.0)
    assert window.counts(1.0).calls == 1


def test_agrees_with_a_plain_list_of_endings():
    rng = random.Random(3)
    window, endings, now = RollingWindow(30), [], 0.0
    for _ in range(2000):
        now += rng.expovariate(1.0)
        evidence = rng.choice([Evidence.SUCCESS, Evidence.FAILURE, Evidence.SLOW])
        window.add(evidence, now)
        endings.append((evidence, int(now // 3)))
        recent = [e for e, bucket in endings if bucket > now // 3 - BUCKETS]
        assert window.counts(now) == Counts(
            len(recent), recent.count(Evidence.FAILURE), recent.count(Evidence.SLOW)
        )


def test_cleared_it_is_empty():
    window = filled(10, [(Evidence.FAILURE, 0.5)])
    window.clear()
    assert window.counts(0.5) == Counts()


@pytest.mark.parametrize("span_s", [5e-324, 1e-308, 1e-9])
def test_a_span_too_short_to_divide_is_that_of_one_moment(span_s):
    window = filled(span_s, [(Evidence.FAILURE, 1.0), (Evidence.SLOW, 1e6)])
    assert window.counts(1e6) == Counts(calls=1, failures=0, slow=1)
