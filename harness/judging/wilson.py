"""How sure a share of a few runs is."""

from math import sqrt

Z95 = 1.959964  # of the normal distribution, two-sided 95 %


def interval(hits: int, runs: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of the share `hits` / `runs`; everything is possible after no run at all."""
    if runs == 0:
        return 0.0, 1.0
    share, noise = hits / runs, z * z / runs
    middle = share + noise / 2
    half = z * sqrt(share * (1 - share) / runs + noise / (4 * runs))
    low = (middle - half) / (1 + noise) if hits else 0.0  # exact at the ends, where rounding would miss them
    high = (middle + half) / (1 + noise) if hits < runs else 1.0
    return max(0.0, low), min(1.0, high)


def chance(hits: int, runs: int) -> str:
    """`33% (95% sure: 6% to 79%)`: the share as it is told, never without its interval."""
    low, high = interval(hits, runs)
    return f"{hits / runs:.0%} (95% sure: {low:.0%} to {high:.0%})"
