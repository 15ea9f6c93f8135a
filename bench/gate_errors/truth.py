"""Where the system of a whole pool of pairs lies: the limit that it sits on exactly."""

from collections.abc import Sequence
from math import exp

import numpy as np

from harness.judging.pairs.across import log_of
from harness.judging.pairs.figure import value_of
from harness.judging.pairs.gate_verdict import sound_pairs
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.percentiles import Floats

FARTHEST = 50.0  # as a logarithm: what is infinite is merely far beyond
HALVINGS = 60  # of the range, down to the last digit


def true_ratio(pairs: Sequence[PairResult], objective: Objective) -> float:
    """Of those that count and have the figure: what their Hodges-Lehmann median tends to."""
    values = [value_of(objective, pair) for pair in sound_pairs(pairs)]
    logs = np.array([log_of(value) for value in values if value is not None])
    return exp(middle(np.sort(np.clip(logs, -FARTHEST, FARTHEST))))


def middle(ascending: Floats) -> float:
    """The median of all averages of two. Those of thousands are counted: to list them takes gigabytes."""
    low, high = float(ascending[0]), float(ascending[-1])
    half = len(ascending) * (len(ascending) + 1) / 4
    for _ in range(HALVINGS):
        between = (low + high) / 2
        low, high = (low, between) if _averages_up_to(ascending, between) >= half else (between, high)
    return high


def _averages_up_to(ascending: Floats, bound: float) -> float:
    """How many there are of them, each two once and each value with itself."""
    ordered = np.searchsorted(ascending, 2 * bound - ascending, side="right").sum()
    alone = np.searchsorted(ascending, bound, side="right")
    return float(ordered + alone) / 2
