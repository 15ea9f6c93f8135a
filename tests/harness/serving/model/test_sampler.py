"""Sampling: greedy at zero, otherwise the right odds, from the sequence's own seed and nothing else."""

from collections import Counter

import pytest
import torch

from harness.serving.engine import Sequence
from harness.serving.model.sampler import choose, uniform

LOGITS = torch.log(torch.tensor([[0.1, 0.2, 0.3, 0.4]]))


def sequence(seed: int, temperature: float, generated: int = 0) -> Sequence:
    return Sequence([1], 9, temperature=temperature, seed=seed, tokens=[0] * generated)


@pytest.mark.parametrize("temperature", [0.0, 1e-9])
def test_without_temperature_the_likeliest_id_is_taken(temperature: float) -> None:
    assert choose(LOGITS, [sequence(3, temperature)]) == [3]


@pytest.mark.parametrize(
    ("temperature", "expected"), [(1.0, [0.1, 0.2, 0.3, 0.4]), (0.5, [1 / 30, 4 / 30, 9 / 30, 16 / 30])]
)
def test_ids_come_with_the_odds_that_the_temperature_gives(temperature: float, expected: list[float]) -> None:
    draws = 4000
    sequences = [sequence(seed, temperature) for seed in range(draws)]
    counts = Counter(choose(LOGITS.expand(draws, 4), sequences))
    assert [counts[i] / draws for i in range(4)] == pytest.approx(expected, abs=0.03)


def test_an_id_without_probability_is_never_drawn() -> None:
    logits = torch.tensor([[-torch.inf, 0.0, -torch.inf]])
    assert {choose(logits, [sequence(seed, 2.0)])[0] for seed in range(200)} == {1}


def test_the_same_seed_draws_the_same_whoever_else_is_drawn() -> None:
    alone = choose(LOGITS, [sequence(11, 1.0, generated=4)])
    together = choose(
        LOGITS.expand(3, 4), [sequence(5, 0.7), sequence(11, 1.0, generated=4), sequence(2, 0.0)]
    )
    assert together[1] == alone[0]


def test_chance_is_even_and_differs_by_seed_and_by_token() -> None:
    numbers = [uniform(seed, index) for seed in (-1, 0, 1, 2**63) for index in range(500)]
    assert len(set(numbers)) == len(numbers)
    assert 0 <= min(numbers) < 0.01
    assert 0.99 < max(numbers) < 1
    assert sum(numbers) / len(numbers) == pytest.approx(0.5, abs=0.03)
