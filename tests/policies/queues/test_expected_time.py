"""What a call may be expected to take: numbers in, number out."""

import pytest

from policies.queues.expected_time import SPAN_S, ExpectedTime

WORKERS = ("w0", "w1", "w2", "w3")


def expected(first_s=0.25, each_s=0.0625, quantile=0.5):
    """Eight attempts with prompts of 10 tokens on each worker, at 0 s."""
    made = ExpectedTime(WORKERS, quantile)
    for worker in WORKERS * 8:
        made.add_start(1)
        made.add_first(worker, 10, first_s, 0.0)
        made.add_each(worker, 1, each_s, 0.0)
    return made


def test_an_answer_takes_its_first_token_and_as_much_for_each_token_asked_for():
    assert expected().answer_s(prompt_tokens=10, max_tokens=16, now=0.0) == 0.25 + 16 * 0.0625


def test_nothing_is_expected_of_prompts_of_a_size_never_seen():
    assert expected().answer_s(prompt_tokens=1000, max_tokens=16, now=0.0) is None


def test_before_any_answer_went_on_what_is_expected_is_the_first_token_alone():
    made = ExpectedTime(WORKERS, 0.5)
    made.add_first("w0", 10, 2.0, 0.0)
    assert made.answer_s(10, 16, 0.0) == 2.0


def test_nothing_is_expected_once_the_attempts_are_of_long_ago():
    made = expected()
    assert made.answer_s(10, 16, SPAN_S - 1) is not None
    assert (made.samples(SPAN_S + 1), made.answer_s(10, 16, SPAN_S + 1)) == (0, None)


def test_one_slow_worker_of_four_does_not_set_what_is_expected():
    made = expected()
    for _ in range(8):
        made.add_start(64)  # what piles up on it
        made.add_first("w0", 10, 9.0, 2.0)
        made.add_each("w0", 64, 1.0, 2.0)
    assert made.answer_s(10, 16, 2.0) == 0.25 + 16 * 0.0625


def test_when_workers_are_fuller_what_counts_is_how_long_a_token_takes_on_full_ones():
    made = expected()
    for worker in WORKERS * 16:
        made.add_start(8)
        made.add_each(worker, 8, 0.5, 2.0)
    assert made.answer_s(10, 16, 2.0) == 0.25 + 16 * 0.5


@pytest.mark.parametrize(("quantile", "seconds"), [(0.5, 0.5), (0.9, 0.75)])
def test_the_quantile_is_of_the_attempts_of_a_worker(quantile, seconds):
    made = ExpectedTime(WORKERS, quantile)
    for worker in WORKERS:
        for first_s in (0.25, 0.25, 0.5, 0.5, 0.75):
            made.add_first(worker, 10, first_s, 0.0)
    assert made.first_s(10, 0.0) == seconds


def test_samples_are_counted_over_all_workers_once_a_second():
    made = expected()
    assert made.samples(0.0) == 32
    made.add_first("w0", 10, 0.25, 0.0)
    assert (made.samples(0.5), made.samples(1.0)) == (32, 33)
