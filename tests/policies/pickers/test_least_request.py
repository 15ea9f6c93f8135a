"""Power of two choices."""

from collections import Counter

import pytest

from policies.call import Call
from policies.candidates import Candidate, Candidates
from policies.pickers.least_request import LeastRequest

PICKS = 20_000


def shares(picker, candidates, seed):
    call = Call(id="c", seed=seed)
    counts = Counter(picker.pick(call, Candidates.of(candidates)).worker for _ in range(PICKS))
    return {worker: number / PICKS for worker, number in counts.items()}


def test_equal_workers_get_equal_shares():
    candidates = [Candidate(f"w{i}", 1.0, 3) for i in range(4)]
    assert shares(LeastRequest(), candidates, "1") == pytest.approx(
        {f"w{i}": 0.25 for i in range(4)}, abs=0.02
    )


def test_one_worker_that_holds_more_than_the_others_gets_nothing():
    candidates = [Candidate("w0", 1.0, 9), *(Candidate(f"w{i}", 1.0, 3) for i in (1, 2, 3))]
    assert "w0" not in shares(LeastRequest(), candidates, "1")


# report 17: brpc#3340
@pytest.mark.parametrize(("slow", "workers"), [(1, 4), (2, 4), (3, 6)])
def test_slow_workers_keep_exactly_the_draws_in_which_every_choice_is_one_of_them(slow, workers):
    candidates = [Candidate(f"w{i}", 1.0, 90 if i < slow else 3) for i in range(workers)]
    got = shares(LeastRequest(choices=2), candidates, "1")
    floor = slow * (slow - 1) / (workers * (workers - 1))
    assert sum(got.get(f"w{i}", 0.0) for i in range(slow)) == pytest.approx(floor, abs=0.02)


# report 17: brpc#3340
def test_with_as_many_choices_as_workers_two_slow_ones_of_four_get_nothing():
    candidates = [Candidate(f"w{i}", 1.0, 90 if i < 2 else 3) for i in range(4)]
    assert set(shares(LeastRequest(choices=4), candidates, "1")) == {"w2", "w3"}


def test_half_the_weight_counts_as_twice_the_load():
    picker = LeastRequest()
    call = Call(id="c")
    assert picker.pick(call, Candidates.of([Candidate("w0", 0.5, 2), Candidate("w1", 1.0, 4)])).worker == "w1"
    assert picker.pick(call, Candidates.of([Candidate("w0", 0.5, 2), Candidate("w1", 1.0, 6)])).worker == "w0"


def test_the_draw_is_the_calls_own_chance():
    candidates = [Candidate(f"w{i}", 1.0, 0) for i in range(4)]
    once, again = (
        [
            LeastRequest().pick(call, Candidates.of(candidates)).worker
            for call in [Call(id="c", seed="5")] * 20
        ]
        for _ in range(2)
    )
    assert once == again
    assert len(set(once)) > 1


def test_a_single_open_worker_is_taken_without_a_choice():
    assert LeastRequest().pick(Call(id="c"), Candidates.of([Candidate("w2", 1.0, 50)])).worker == "w2"
