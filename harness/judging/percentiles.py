"""Exact percentiles by nearest rank, and how many values each of them needs.

With n values the largest is below the true q-quantile with probability q ** n. From n = 3 / (1 - q) on that
is at most 5 %, so a 95 % upper bound exists at all: 6 values for p50, 30 for p90, 60 for p95, 300 for p99.
"""

from math import ceil

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

QUANTILES = (0.5, 0.9, 0.95, 0.99)


def samples_needed(q: float) -> int:
    """Fewest values from which the q-quantile may be reported."""
    return ceil(3 / (1 - q) - 1e-6)  # 3 / (1 - 0.99) is a hair above 300 in binary


def highest_permitted(count: int) -> float | None:
    """The highest of `QUANTILES` that `count` values allow, None if not even the median."""
    return max((q for q in QUANTILES if count >= samples_needed(q)), default=None)


def quantile(values: Floats, q: float) -> float | None:
    """The value of rank ceil(q * n); infinity counts as a value. None where there are too few values."""
    if len(values) < samples_needed(q):
        return None
    rank = ceil(q * len(values) - 1e-9)
    return float(np.partition(values, rank - 1)[rank - 1])


def quantiles(values: Floats) -> dict[str, float | None]:
    """All of `QUANTILES` by label, as `quantile` gives them."""
    ranked, count = np.sort(values), len(values)
    return {
        name: float(ranked[ceil(q * count - 1e-9) - 1]) if count >= needed else None
        for name, q, needed in _LABELLED
    }


def label(q: float) -> str:
    """`p50`, `p99`."""
    return f"p{q * 100:g}"


_LABELLED = [(label(q), q, samples_needed(q)) for q in QUANTILES]
