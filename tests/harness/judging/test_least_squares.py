"""Constants that are never below 0."""

import numpy as np
import pytest

from harness.judging.least_squares import non_negative


def test_exact_points_give_the_constants_back() -> None:
    terms = np.random.default_rng(1).uniform(0, 1, (30, 4))
    assert non_negative(terms, terms @ [3.0, 0.0, 1.0, 2.0]) == pytest.approx([3.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize("seed", range(20))
def test_no_constant_can_be_changed_for_the_better(seed: int) -> None:
    """Karush, Kuhn and Tucker: the error is flat in what is above 0, and rises with what is 0."""
    random = np.random.default_rng(seed)
    terms = np.concatenate([np.ones((30, 1)), random.uniform(-1, 1, (30, 3))], axis=1)
    target = 2 + random.normal(0, 1, 30)
    found = non_negative(terms, target)
    rise = terms.T @ (terms @ found - target)
    assert rise[found > 0] == pytest.approx(0.0, abs=1e-9)
    assert (found >= 0).all()
    assert (rise >= -1e-9).all()
