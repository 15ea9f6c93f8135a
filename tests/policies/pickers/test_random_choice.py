"""Chance by weight."""

import random
from collections import Counter

import pytest

from policies.call import Call
from policies.candidates import Candidate, Candidates
from policies.pickers.random_choice import TRIES, RandomChoice, draw

DRAWS = 20_000


def shares(*weights, draws=DRAWS):
    rng = random.Random(1)
    candidates = Candidates.of([Candidate(f"w{i}", weight, 7 * i) for i, weight in enumerate(weights)])
    counts = Counter(draw(candidates, rng).worker for _ in range(draws))
    return [counts[f"w{i}"] / draws for i in range(len(weights))]


def test_load_makes_no_difference():
    assert shares(1.0, 1.0, 1.0, 1.0) == pytest.approx([0.25] * 4, abs=0.02)


@pytest.mark.parametrize("weights", [(1.0, 0.5, 0.25), (0.1, 1.0), (0.5, 0.5), (0.2, 0.1, 0.1)])
def test_shares_are_as_the_weights(weights):
    assert shares(*weights) == pytest.approx([weight / sum(weights) for weight in weights], abs=0.02)


def test_a_pool_of_suspects_is_still_used():
    assert shares(1e-6, 1e-6, draws=4000) == pytest.approx([0.5, 0.5], abs=0.03)


def test_a_draw_asks_for_no_more_workers_however_many_there_are():
    looked = 0

    def look(worker):
        nonlocal looked
        looked += 1
        return Candidate(worker, 1e-9, 0)

    assert draw(Candidates([f"w{i}" for i in range(5000)], look), random.Random(1)) is not None
    assert looked == TRIES


def test_the_draw_is_the_calls_own_chance():
    candidates = Candidates.of([Candidate(f"w{i}", 1.0, 0) for i in range(4)])
    picks = [[RandomChoice().pick(Call(id="c", seed=str(n)), candidates).worker for n in range(40)]] * 2
    assert picks[0] == picks[1]
    assert len(set(picks[0])) == 4
