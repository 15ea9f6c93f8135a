"""Least squares with no constant below 0, exactly: with so few constants every subset can be tried."""

from itertools import combinations
from math import inf

import numpy as np

from harness.judging.percentiles import Floats


def non_negative(terms: Floats, target: Floats) -> Floats:
    """The constants c >= 0, one a column of `terms`, that bring `terms @ c` nearest to `target`.

    At the optimum those above 0 solve the plain problem without the others (Lawson and Hanson, Solving Least
    Squares Problems, chapter 23). The first is always kept: what it stands for is never free.
    """
    constants = terms.shape[1]
    best, least = np.zeros(constants), inf
    for count in range(constants):
        for others in combinations(range(1, constants), count):
            kept = [0, *others]
            found, *_ = np.linalg.lstsq(terms[:, kept], target, rcond=None)
            left = float(np.square(terms[:, kept] @ found - target).sum())
            if (found >= 0).all() and left < least:
                least, best = left, np.zeros(constants)
                best[kept] = found
    return best
