"""What a picker sees: each open worker once, gates asked only for those looked at."""

import random
from collections import Counter
from itertools import islice, permutations

import pytest

from policies.candidates import Candidate, Candidates

WORKERS = ("w0", "w1", "w2", "w3")
DRAWS = 24_000


class Looks:
    """Opens all workers but those that are shut, and remembers whom it was asked for."""

    def __init__(self, *shut):
        self.shut = shut
        self.asked = []

    def __call__(self, worker):
        self.asked.append(worker)
        return None if worker in self.shut else Candidate(worker, 1.0, 0)


def names(candidates):
    return [candidate.worker for candidate in candidates]


def test_in_order_they_come_as_in_the_pool_without_those_that_are_shut():
    assert names(Candidates(WORKERS, Looks("w1")).in_order()) == ["w0", "w2", "w3"]


@pytest.mark.parametrize("shut", [(), ("w0",), ("w1", "w3"), WORKERS])
def test_at_random_each_open_worker_comes_once_and_each_worker_is_asked_once(shut):
    for seed in range(100):
        look = Looks(*shut)
        drawn = names(Candidates(WORKERS, look).at_random(random.Random(seed)))
        assert sorted(drawn) == [worker for worker in WORKERS if worker not in shut]
        assert sorted(look.asked) == list(WORKERS)


def test_at_random_every_order_is_as_likely_as_every_other():
    rng, all_open = random.Random(1), Candidates(WORKERS, Looks())
    orders = Counter(tuple(names(all_open.at_random(rng))) for _ in range(DRAWS))
    assert set(orders) == set(permutations(WORKERS))
    expected = DRAWS / len(orders)
    assert sum((seen - expected) ** 2 / expected for seen in orders.values()) < 49.7  # chi squared, 23, 0.1 %


@pytest.mark.parametrize("shut", ["w0", "w3"])
def test_a_shut_worker_leaves_the_others_as_likely_as_each_other(shut):
    rng, candidates = random.Random(2), Candidates(WORKERS, Looks(shut))
    firsts = Counter(next(candidates.at_random(rng)).worker for _ in range(DRAWS))
    expected = DRAWS / 3
    assert len(firsts) == 3
    assert sum((seen - expected) ** 2 / expected for seen in firsts.values()) < 13.8  # chi squared, 2, 0.1 %


def test_gates_are_asked_only_for_workers_that_are_looked_at():
    many = [f"w{i}" for i in range(4096)]
    in_order, at_random = Looks("w0"), Looks()
    assert names(islice(Candidates(many, in_order).in_order(), 2)) == ["w1", "w2"]
    assert in_order.asked == ["w0", "w1", "w2"]
    drawn = names(islice(Candidates(many, at_random).at_random(random.Random(1)), 2))
    assert at_random.asked == drawn


def test_the_same_chance_draws_the_same_order():
    once, again, other = (names(Candidates(WORKERS, Looks()).at_random(random.Random(n))) for n in (1, 1, 4))
    assert once == again != other


def test_only_the_given_ones_are_candidates_of_a_list():
    given = [Candidate("w2", 0.5, 7), Candidate("w0", 1.0, 0)]
    candidates = Candidates.of(given)
    assert list(candidates.in_order()) == given
    assert candidates.look("w1") is None
    assert list(Candidates.of([]).at_random(random.Random(1))) == []
