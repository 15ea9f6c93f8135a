"""Which of several workers are slow, by their ratios to their peers: numbers in, names out."""

from collections.abc import Mapping
from math import log
from statistics import median

SMALLEST_SPREAD = 5  # workers, below which a spread says nothing
NORMAL = 0.6745  # MAD of a normal distribution with deviation 1 (Iglewicz and Hoaglin's modified z)


def slow_outliers(ratios: Mapping[str, float], least_ratio: float, least_z: float) -> list[str]:
    """Those at `least_ratio` or above, in the order of `ratios`; none if they are more than half: overload.

    With five or more to compare also modified z = 0.6745 (r - median) / MAD > `least_z`, r the logarithm.
    """
    slow = [worker for worker, ratio in ratios.items() if ratio >= least_ratio]
    if is_overload(ratios, least_ratio):
        return []
    if len(ratios) < SMALLEST_SPREAD:
        return slow
    logs = {worker: log(ratio) for worker, ratio in ratios.items()}
    middle = median(logs.values())
    spread = median(abs(value - middle) for value in logs.values())
    return [worker for worker in slow if NORMAL * (logs[worker] - middle) > least_z * spread]


def is_overload(ratios: Mapping[str, float], least_ratio: float) -> bool:
    """More than half of them are slow, so that none is a yardstick for the others."""
    return sum(ratio >= least_ratio for ratio in ratios.values()) > len(ratios) / 2
