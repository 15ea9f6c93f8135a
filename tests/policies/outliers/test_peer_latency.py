"""What attempts say of a worker's speed: ended ones, those in flight, those that waited for a seat."""

from collections import Counter

import pytest

from policies.outcome import OK, Kind, Outcome
from policies.outliers.peer_latency import PeerLatency

WORKERS = ("w0", "w1", "w2", "w3")


@pytest.fixture
def latency(make_attempt, give_tokens):
    """Ten whole answers of every worker at first: first token after 0.1 s, then one every 0.03 s."""
    made = PeerLatency()
    made.bind(Counter(dict.fromkeys(WORKERS, 1)), 30.0)
    for worker in WORKERS:
        for number in range(10):
            serve(made, give_tokens, make_attempt(worker, 0.05 * number))
    return made


def serve(latency, give_tokens, attempt, first_s=0.1, gap_s=0.03, outcome=OK, tokens=16):
    latency.attempt_started(attempt)
    give_tokens(attempt, first_s, 0.0, 1)
    latency.first_token(attempt)
    rest = give_tokens_after(attempt, give_tokens, gap_s, tokens - 1)
    latency.attempt_ended(attempt, outcome, rest)


def give_tokens_after(attempt, give_tokens, gap_s, tokens):
    first_s = attempt.first_token_s - attempt.started_s
    return give_tokens(attempt, first_s + gap_s, gap_s, tokens)


def ratio(latency, now, worker="w0", least=8):
    return latency.ratio(worker, now, 3.0, least)


def test_equal_workers_have_ratio_one(latency):
    assert [ratio(latency, 1.5, worker) for worker in WORKERS] == pytest.approx([1.0] * 4)


def test_the_larger_of_both_ratios_counts(latency, make_attempt, give_tokens):
    for number in range(12):
        serve(latency, give_tokens, make_attempt("w0", 5 + number / 100), first_s=0.4)
        serve(latency, give_tokens, make_attempt("w1", 5 + number / 100), gap_s=0.09)
    assert ratio(latency, 7.0, "w0") == pytest.approx(4.0)
    assert ratio(latency, 7.0, "w1") == pytest.approx(3.0)


def test_with_too_few_attempts_nothing_is_said(latency, make_attempt):
    assert ratio(latency, 1.5, least=11) is None
    assert ratio(latency, 100.0) is None


def test_attempts_without_a_first_token_count_by_their_age(latency, make_attempt):
    for _ in range(30):
        latency.attempt_started(make_attempt("w0", 2.0))
    assert ratio(latency, 2.05) == pytest.approx(1.0)
    assert ratio(latency, 3.0) == pytest.approx(10.0)


def test_tokens_are_asked_for_only_of_attempts_older_than_the_longest_answer_takes(
    latency, make_attempt, give_tokens
):
    asked = []
    for number in range(30):
        attempt = make_attempt("w0", 2.0)
        latency.attempt_started(attempt)
        give_tokens(attempt, 0.1, 0.0, 1)
        latency.first_token(attempt)
        attempt.catch_up = lambda number=number: asked.append(number)
    ratio(latency, 2.55)
    assert asked == [], "16 tokens of 0.03 s are not over"
    assert ratio(latency, 2.1 + 0.6) == pytest.approx(20.0), "no token in 0.6 s"
    assert asked


@pytest.mark.parametrize(("in_use", "expected"), [(8, 1.0), (3, 20.0)])
def test_a_wait_for_the_first_token_counts_unless_all_seats_were_in_use(
    latency, make_attempt, give_tokens, in_use, expected
):
    for worker, seats in (("w0", in_use), ("w1", 8)):
        for _ in range(seats):
            latency._seats.taken(worker, 2.0)
    latency.pending["w0"] = 20
    waiting = [make_attempt("w0", 12.0) for _ in range(12)]
    for attempt in waiting:
        latency.attempt_started(attempt)
    assert ratio(latency, 14.0) == pytest.approx(expected), "in flight"
    for attempt in waiting:
        give_tokens(attempt, 2.0, 0.03, 1)
        latency.first_token(attempt)
        latency.attempt_ended(attempt, OK, 14.0)
    assert ratio(latency, 14.5) == pytest.approx(expected), "ended"


@pytest.mark.parametrize(
    ("outcome", "counts"),
    [
        (Outcome(kind=Kind.TIMEOUT, phase="first_token"), True),
        (Outcome(kind=Kind.TIMEOUT, phase="total"), True),
        (Outcome(kind=Kind.ABANDONED), True),  # it took longer than is typical
        (Outcome(kind=Kind.ERROR, status=500), False),
        (Outcome(kind=Kind.OVERLOAD, status=429), False),
        (Outcome(kind=Kind.REJECTED), False),
    ],
)
def test_an_ending_without_a_token_is_a_lower_bound_where_the_table_says_so(
    latency, make_attempt, outcome, counts
):
    for _ in range(30):
        attempt = make_attempt("w0", 2.0)
        latency.attempt_started(attempt)
        latency.attempt_ended(attempt, outcome, 3.0)
    assert ratio(latency, 3.5) == pytest.approx(10.0 if counts else 1.0)


def test_silence_up_to_a_timeout_counts_as_time_between_tokens(latency, make_attempt, give_tokens):
    for _ in range(30):
        attempt = make_attempt("w0", 2.0)
        latency.attempt_started(attempt)
        last_s = give_tokens(attempt, 0.1, 0.03, 4)
        latency.attempt_ended(attempt, Outcome(kind=Kind.TIMEOUT, phase="between_tokens"), last_s + 1.11)
    assert ratio(latency, 4.0) == pytest.approx(10.0)


def test_after_forgetting_only_attempts_that_begin_from_then_on_count(latency, make_attempt):
    old = [make_attempt("w0", 1.0) for _ in range(30)]
    for attempt in old:
        latency.attempt_started(attempt)
    latency.forget("w0")
    for attempt in old:
        latency.attempt_ended(attempt, Outcome(kind=Kind.TIMEOUT, phase="attempt"), 9.0)
    assert ratio(latency, 9.5, least=1) is None
