"""By what was promised: numbers in, a number out; and what of an attempt counts."""

import math

import pytest

from policies.call import Chunk
from policies.limits.limit_slo import LimitSlo


def slo(**parameters):
    return LimitSlo(**parameters).rule()


@pytest.mark.parametrize(
    ("observed", "in_flight", "limit"),
    [
        (0.01, 20, 20 + 0.2 * 20),  # at most twice
        (0.5, 20, 20 + 0.2 * 20),
        (0.8, 20, 20 + 0.2 * 5),
        (1.0, 20, 20),
        (0.01, 10, 20 + 0.2 * 20),
        (0.01, 9, 20),  # not at work: no reason to raise it
        (1.25, 20, 20 + 0.2 * (0.8 * 20 - 20)),
        (1.25, 5, 20 + 0.2 * (0.8 * 5 - 20)),  # what is held is already too much
        (100.0, 4, 20 + 0.2 * (0.5 * 4 - 20)),  # at most half
        (0.0, 20, 20 + 0.2 * 20),
    ],
)
def test_a_sample_moves_it_towards_target_over_observed(observed, in_flight, limit):
    rule = slo()
    rule.sample(observed, in_flight)
    assert rule.limit == pytest.approx(limit)


def test_a_drop_counts_as_the_worst_sample_and_a_busy_worker_halves_what_is_wanted():
    dropped, busy = slo(), slo()
    dropped.drop(None, in_flight=4)
    busy.decrease()
    assert (dropped.limit, busy.limit) == (pytest.approx(16.4), pytest.approx(18.0))


def test_a_lower_bound_within_the_target_says_nothing():
    rule = slo()
    rule.at_least(0.9, in_flight=20)
    assert rule.limit == 20
    rule.at_least(2.0, in_flight=20)
    assert rule.limit == pytest.approx(18.0)


def test_it_stays_between_floor_and_most():
    rule = slo(floor=3, max_limit=30)
    for _ in range(100):
        rule.sample(0.1, in_flight=int(rule.limit))
    assert rule.limit == 30
    for _ in range(100):
        rule.sample(10.0, in_flight=int(rule.limit))
    assert rule.limit == 3


@pytest.mark.parametrize(
    ("first_s", "gap_s", "target_s", "observed"),
    [(1.0, 0.2, math.inf, 0.5), (1.0, 0.02, 0.1, 0.5), (0.1, 0.2, 0.1, 2.0), (4.0, 0.1, 0.1, 2.0)],
)
def test_the_worse_of_first_token_and_time_per_token_counts(
    make_attempt, give_tokens, first_s, gap_s, target_s, observed
):
    policy = LimitSlo(ttft_target_s=2, tpot_target_s=target_s)
    attempt = make_attempt(started_s=7.0)
    ended_s = give_tokens(attempt, first_s, gap_s, 16)
    assert policy.observed(attempt, ended_s) == pytest.approx(observed)


@pytest.mark.parametrize("tokens", [10, 10_000])
def test_the_length_of_an_answer_does_not_count(make_attempt, give_tokens, tokens):
    attempt = make_attempt()
    ended_s = give_tokens(attempt, 0.1, 0.05, tokens)
    assert LimitSlo(tpot_target_s=0.1).observed(attempt, ended_s) == pytest.approx(0.5)


def test_one_hiccup_does_not_speak_for_a_short_answer(make_attempt, give_tokens):
    attempt = make_attempt()
    ended_s = give_tokens(attempt, 0.1, 0.3, 2)
    assert LimitSlo(tpot_target_s=0.1).observed(attempt, ended_s) < 1


def test_a_stream_without_a_token_says_nothing_when_it_ends_well_and_its_age_before(make_attempt):
    policy = LimitSlo(ttft_target_s=2)
    assert policy.observed(make_attempt(), 5.0) is None
    assert policy.observed_at_least(make_attempt(), 5.0) == 2.5


def test_a_stream_that_stalls_is_over_its_target_before_it_ends(make_attempt, give_tokens):
    policy = LimitSlo(ttft_target_s=2, tpot_target_s=0.1)
    attempt = make_attempt()
    give_tokens(attempt, 0.5, 0.05, 10)
    assert policy.observed_at_least(attempt, 0.5 + 2.0) == pytest.approx(2.0)


def test_an_answer_in_one_piece_is_judged_by_its_tokens(make_attempt):
    policy = LimitSlo(ttft_target_s=2, tpot_target_s=0.1)
    attempt = make_attempt(stream=False, max_tokens=1000)
    assert policy.observed_at_least(attempt, 51.0) == pytest.approx(0.5)
    attempt.deliver(Chunk(b"", tokens=10), 6.0)
    assert policy.observed(attempt, 6.0) == pytest.approx(2.0)


def test_infinite_targets_are_switched_off_and_never_divide_by_nothing(make_attempt):
    policy = LimitSlo(ttft_target_s=math.inf, tpot_target_s=math.inf, most_gradient=10)
    for attempt in (make_attempt(), make_attempt(stream=False, max_tokens=0)):
        assert policy.observed_at_least(attempt, 1e6) == 0
    rule = policy.rule()
    rule.sample(0.0, in_flight=20)
    assert rule.limit > 20
