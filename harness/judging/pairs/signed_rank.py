"""The median effect of a few pairs and its exact interval: Hodges-Lehmann and Wilcoxon's signed ranks.

Nothing is assumed but that pairs are independent and their noise symmetric. With so few pairs a bootstrap
passes a system that sits exactly on its limit in 7.5 to 10 % of cases instead of 2.5 %; this does not.
Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, sections 3.1 to 3.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf

import numpy as np

from harness.judging.percentiles import Floats


@dataclass(frozen=True, slots=True)
class Estimate:
    """Where the effect lies. The bounds are infinite where so few pairs cannot give any at this level."""

    centre: float
    lower: float
    upper: float
    count: int


def estimate(values: Sequence[float], error: float) -> Estimate:
    """`error`: the chance that the truth lies outside, half of it on either side. Infinities are values.

    ValueError for no value at all, and for NaN.
    """
    averages = _walsh(values)
    reach = reach_of(len(values), error)
    lower, upper = (-inf, inf) if reach is None else (averages[reach], averages[-1 - reach])
    return Estimate(float(np.median(averages)), float(lower), float(upper), len(values))


def chance_below(values: Sequence[float], limit: float) -> float:
    """The exact chance of values at or above these if the truth were at or below `limit`: one-sided p."""
    return _tail(len(values))[int((_walsh(values) <= limit).sum())]


def smallest_error(count: int) -> float:
    """The smallest two-sided error at which `count` pairs give an interval at all: all of one sign."""
    return 2.0 ** (1 - count)


@cache
def reach_of(count: int, error: float) -> int | None:
    """How many Walsh averages lie outside on either side. None: so few pairs cannot be so sure."""
    most = error / 2 * (1 + 1e-12)
    inside = [reach for reach, chance in enumerate(_tail(count)) if chance <= most]
    return inside[-1] if inside else None


@cache
def _tail(count: int) -> tuple[float, ...]:
    """P(T <= t) for t from 0 on: T is the sum of the ranks 1 to `count` that get a plus by a fair coin."""
    ways = np.zeros(count * (count + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, count + 1):
        ways[rank:] = ways[rank:] + ways[:-rank]
    return tuple(np.cumsum(ways) / 2.0**count)


def _walsh(values: Sequence[float]) -> Floats:
    """All averages of two of the values, each with itself as well, ascending."""
    if not len(values):
        raise ValueError("there is no median of no pairs")
    column = np.array(values, dtype=np.float64)
    if np.isnan(column).any():
        raise ValueError("a figure that is no number has no place among others")
    first, second = np.triu_indices(len(column))
    with np.errstate(invalid="ignore"):
        averages = (column[first] + column[second]) / 2
    return np.sort(np.nan_to_num(averages, nan=0.0, posinf=inf, neginf=-inf))  # of both infinities: no effect
