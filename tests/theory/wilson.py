"""Shares of runs: where chance decides, the Wilson interval has to cover what the source says."""

from math import sqrt

Z95 = 1.96


def interval(hits: int, runs: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a share."""
    share, noise = hits / runs, z * z / runs
    middle = share + noise / 2
    half = z * sqrt(share * (1 - share) / runs + noise / (4 * runs))
    return max(0.0, (middle - half) / (1 + noise)), min(1.0, (middle + half) / (1 + noise))


def covering(share: float, runs: int) -> tuple[float, float]:
    """The least and the greatest share of `runs` whose interval covers `share`."""
    hits = [k for k in range(runs + 1) if (i := interval(k, runs))[0] - 1e-12 <= share <= i[1] + 1e-12]
    return hits[0] / runs, hits[-1] / runs
