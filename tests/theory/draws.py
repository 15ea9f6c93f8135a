"""Chance for a study, as even as it can be."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[], float]
Draws = NDArray[np.float64]


def even_draws(count: int, purpose: str) -> Draws:
    """`count` numbers in (0, 1), one from each of `count` equal cells, in random order.

    Their mean and moments are those of the uniform distribution nearly exactly, which takes the error of the
    offered load out of a run (stratified sampling); what is left is the error of their order.
    """
    rng = np.random.default_rng(list(purpose.encode()))
    return (rng.permutation(count) + rng.uniform(1e-12, 1.0, count)) / count


def exponential(draws: Draws, mean: float = 1.0) -> Draws:
    """Exponential times of `mean` by inversion."""
    return -mean * np.log(draws)
