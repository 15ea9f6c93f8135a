"""Turns."""

from collections import Counter

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
