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


# apache/brpc#3340: the floor of sampling, k(k-1) / (N(N-1)) = 1/6 for 2 of 4
def test_two_slow_workers_of_four_keep_a_sixth_with_two_choices_and_nothing_with_four():
    candidates = [Candidate(f"w{i}", 1.0, 90 if i < 2 else 3) for i in range(4)]
    two = shares(LeastRequest(choices=2), candidates, "1")
    assert two["w0"] + two["w1"] == pytest.approx(1 / 6, abs=0.02)
    four = shares(LeastRequest(choices=4), candidates, "1")
    assert set(four) == {"w2", "w3"}


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
