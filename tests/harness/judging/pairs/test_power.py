"""What so many pairs can prove, held against decisions on made-up noise."""

from math import exp

import numpy as np
import pytest

from harness.judging.pairs.power import half_width, hopeless_ratio, provable_ratio
from harness.judging.pairs.signed_rank import estimate

NOISE, DRAWS = 0.2, 400


@pytest.mark.parametrize("pairs", [8, 12])
def test_an_undisturbed_system_passes_as_often_as_is_said(pairs):
    rng, error = np.random.default_rng(3), 0.05
    uppers = [exp(estimate(rng.normal(0, NOISE, pairs), error).upper) for _ in range(DRAWS)]
    assert np.mean(np.array(uppers) <= provable_ratio(pairs, error, NOISE)) == pytest.approx(0.8, abs=0.06)
    assert np.mean(np.array(uppers) <= hopeless_ratio(pairs, error, NOISE)) == pytest.approx(0.5, abs=0.1)


def test_more_pairs_prove_less_and_more_noise_proves_more():
    assert provable_ratio(12, 0.02) < provable_ratio(8, 0.02) < provable_ratio(8, 0.02, 0.4)
    assert half_width(8, 0.05, 0.2) < half_width(8, 0.01, 0.2)
