"""Slowness by token, not by length."""

import math

import pytest

from policies.breakers.slow_bounds import MIN_GAPS, SlowBounds
from policies.call import Chunk

BOUNDS = SlowBounds(ttft_s=0.5, tpot_s=0.1)


# resilience4j/resilience4j#1477: one fixed bound confuses long answers with slow workers
@pytest.mark.parametrize("tokens", [1, 2, 10, 10_000])
def test_the_length_of_an_answer_does_not_make_it_slow(make_attempt, give_tokens, tokens):
    attempt = make_attempt()
    end_s = give_tokens(attempt, 0.4, 0.09, tokens)
    assert not BOUNDS.was_slow(attempt, end_s)


@pytest.mark.parametrize("tokens", [6, 10, 10_000])
def test_the_same_answers_at_a_third_of_the_speed_are_slow(make_attempt, give_tokens, tokens):
    attempt = make_attempt()
    end_s = give_tokens(attempt, 0.4, 0.27, tokens)
    assert BOUNDS.was_slow(attempt, end_s)


def test_the_mean_is_over_the_gaps_of_which_there_is_one_less_than_tokens(make_attempt, give_tokens):
    attempt = make_attempt()
    assert BOUNDS.was_slow(attempt, give_tokens(attempt, 0.4, 0.11, 6))


def test_a_late_first_token_is_slow_however_quick_the_rest(make_attempt, give_tokens):
    attempt = make_attempt()
    assert BOUNDS.was_slow(attempt, give_tokens(attempt, 0.51, 0.001, 16))


def test_one_hiccup_does_not_speak_for_the_answer(make_attempt, give_tokens):
    attempt = make_attempt()
    assert not BOUNDS.was_slow(attempt, give_tokens(attempt, 0.1, 0.9 * MIN_GAPS * 0.1, 2))


def test_time_after_the_last_token_is_not_the_models(make_attempt, give_tokens):
    attempt = make_attempt()
    give_tokens(attempt, 0.1, 0.05, 16)
    assert not BOUNDS.was_slow(attempt, ended_s=100.0)


def test_an_attempt_without_a_token_is_slow_from_its_bound_on(make_attempt):
    assert BOUNDS.slow_from_s(make_attempt(started_s=7.0)) == 7.5


def test_a_stream_that_stalls_becomes_slow_once_its_mean_gap_must_be(make_attempt, give_tokens):
    attempt = make_attempt()
    give_tokens(attempt, 0.1, 0.05, 10)
    assert BOUNDS.slow_from_s(attempt) == pytest.approx(0.1 + 10 * 0.1)


def test_no_attempt_is_slow_before_the_age_that_scanning_relies_on(make_attempt, give_tokens):
    for tokens in (1, 4, 30):
        attempt = make_attempt(started_s=3.0)
        give_tokens(attempt, 0.0, 0.001, tokens)
        assert BOUNDS.slow_from_s(attempt) >= 3.0 + BOUNDS.soonest_s
    assert BOUNDS.slow_from_s(make_attempt(started_s=3.0)) >= 3.0 + BOUNDS.soonest_s


def test_nothing_that_still_may_come_makes_an_attempt_slow_before_its_soonest_time(make_attempt, give_tokens):
    bounds = SlowBounds(ttft_s=10.0, tpot_s=0.25)
    attempt = make_attempt()
    assert [bounds.slow_soonest_s(attempt, now) for now in (1.5, 8.9, 9.1, 11.0)] == [2.5, 9.9, 10.0, 10.0]
    give_tokens(attempt, 1.5, 0.1, 9)
    assert bounds.slow_soonest_s(attempt, 2.3) == 2.5  # by the first token alone
    assert bounds.slow_from_s(attempt) == 1.5 + 9 * 0.25


def test_an_answer_in_one_piece_is_judged_by_the_length_asked_for(make_attempt):
    attempt = make_attempt(stream=False, max_tokens=16)
    assert BOUNDS.slow_from_s(attempt) == pytest.approx(0.5 + 16 * 0.1)
    assert not BOUNDS.was_slow(attempt, ended_s=2.0)
    assert BOUNDS.was_slow(attempt, ended_s=2.2)


def test_an_answer_in_one_piece_that_came_is_judged_by_the_tokens_it_has(make_attempt):
    attempt = make_attempt(stream=False, max_tokens=1000)
    assert BOUNDS.slow_from_s(attempt) == pytest.approx(0.5 + 1000 * 0.1)
    attempt.deliver(Chunk(b"", tokens=16), now=2.2)
    assert BOUNDS.was_slow(attempt, ended_s=2.2)
    quick = make_attempt(stream=False, max_tokens=1000)
    quick.deliver(Chunk(b"", tokens=16), now=2.0)
    assert not BOUNDS.was_slow(quick, ended_s=2.0)


def test_infinity_switches_a_bound_off(make_attempt, give_tokens):
    attempt = make_attempt()
    end_s = give_tokens(attempt, 99.0, 99.0, 16)
    assert not SlowBounds(math.inf, math.inf).was_slow(attempt, end_s)
    assert SlowBounds(math.inf, 1.0).was_slow(attempt, end_s)
    assert SlowBounds(1.0, math.inf).was_slow(attempt, end_s)
