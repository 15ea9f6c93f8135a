"""Turns."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.call import Call
from policies.candidates import MOST_SUBSETS, Candidate, Candidates
from policies.pickers.round_robin import RoundRobin

ALL = ("w0", "w1", "w2", "w3")


def pick(picker, open_workers=ALL, workers=None):
    def look(worker):
        return Candidate(worker, 1.0, 0) if worker in open_workers else None

    return picker.pick(Call(id="c", workers=workers), Candidates(ALL, look)).worker


def test_every_worker_has_its_turn_in_pool_order():
    picker = RoundRobin()
    assert [pick(picker) for _ in range(8)] == [*ALL, *ALL]


def test_callers_bound_to_a_few_workers_do_not_skew_the_turns_of_the_others():
    picker, bound = RoundRobin(), frozenset({"w0"})
    free = []
    for _ in range(40):
        pick(picker, ("w0",), bound)
        free.append(pick(picker))
    assert set(Counter(free).values()) == {10}


def test_a_worker_that_was_shut_out_shifts_nobody_elses_turn():
    picker = RoundRobin()
    without = [pick(picker, ("w0", "w2", "w3")) for _ in range(30)]
    assert set(Counter(without).values()) == {10}
    back = [pick(picker) for _ in range(40)]
    assert back[0] == "w1"
    assert set(Counter(back).values()) == {10}


def test_turns_are_remembered_for_the_sets_of_workers_used_last_and_no_others():
    picker, bound = RoundRobin(), frozenset({"w0", "w1"})
    assert [pick(picker, workers=bound), pick(picker, workers=bound)] == ["w0", "w1"]
    free = []
    for number in range(MOST_SUBSETS):
        pick(picker, workers=frozenset({"w0", f"other-{number}"}))
        free.append(pick(picker))
    assert set(Counter(free).values()) == {MOST_SUBSETS / 4}
    assert pick(picker, workers=bound) == "w0", "it was forgotten and starts afresh"


def test_load_makes_no_difference():
    picker = RoundRobin()
    candidates = [Candidate("w0", 1.0, 100), Candidate("w1", 1.0, 0)]
    picked = [picker.pick(Call(id="c"), Candidates.of(candidates)).worker for _ in range(4)]
    assert picked == ["w0", "w1", "w0", "w1"]


def picked(picker, weights, picks, shut=lambda turn: ()):
    """How often each worker was picked, by its place."""
    counts = Counter()
    for turn in range(picks):
        open_ones = [i for i in range(len(weights)) if i not in shut(turn)]
        candidates = Candidates(
            [f"w{i}" for i in range(len(weights))],
            {f"w{i}": Candidate(f"w{i}", weights[i], 0) for i in open_ones}.get,
        )
        counts[int(picker.pick(Call(id="c"), candidates).worker[1:])] += 1
    return counts


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6))
def test_shares_converge_to_the_weights(weights):
    counts, picks = picked(RoundRobin(), weights, 400), 400
    for place, weight in enumerate(weights):
        assert counts[place] == pytest.approx(picks * weight / sum(weights), abs=len(weights))


def test_a_canary_with_a_tenth_of_the_weight_comes_once_in_ten_rounds_of_the_others():
    picker = RoundRobin()
    counts = picked(picker, [0.1, 1.0, 1.0, 1.0], 310)
    assert counts == {0: 10, 1: 100, 2: 100, 3: 100}


def test_a_worker_that_gets_its_full_weight_back_has_its_turn_like_the_others():
    picker = RoundRobin()
    picked(picker, [0.1, 1.0, 1.0, 1.0], 25)
    assert picked(picker, [1.0] * 4, 400) == dict.fromkeys(range(4), 100)


def test_a_worker_of_less_weight_that_was_shut_for_long_saves_nothing_up_meanwhile():
    picker = RoundRobin()
    picked(picker, [0.5, 1.0], 1000, shut=lambda turn: (0,))
    assert picked(picker, [0.5, 1.0], 300)[0] == pytest.approx(100, abs=1)


def test_looks_do_not_grow_with_the_number_of_workers():
    looks = 0

    def look(worker):
        nonlocal looks
        looks += 1
        return Candidate(worker, 0.5, 0)

    picker, candidates = RoundRobin(), Candidates([f"w{i}" for i in range(1000)], look)
    for _ in range(5000):
        assert picker.pick(Call(id="c"), candidates) is not None
    assert looks <= 3 * 5000, "two turns a pick at half the weight"
