"""What is asked: lengths of answers and the choice of prompts."""

import random
from collections import Counter
from statistics import fmean, median

import pytest

from harness.load.prompts import LONGEST, answer_tokens, zipf


def test_lengths_have_the_mean_that_was_asked_and_a_long_tail():
    rng = random.Random(1)
    drawn = sorted(answer_tokens(16, 1.0, rng) for _ in range(20_000))
    assert fmean(drawn) == pytest.approx(16, rel=0.05)
    assert median(drawn) < 11
    assert drawn[len(drawn) * 99 // 100] > 80
    assert (drawn[0], drawn[-1]) == (1, 16 * LONGEST)


def test_prompts_are_asked_in_proportion_to_one_over_their_rank():
    rng = random.Random(1)
    asked = Counter(zipf(10, rng) for _ in range(20_000))
    assert set(asked) == set(range(10))
    assert asked[0] / asked[4] == pytest.approx(5, rel=0.15)
    assert zipf(1, rng) == 0
