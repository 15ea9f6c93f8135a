"""Shares of runs: where chance decides, the Wilson interval has to cover what the source says."""

from harness.judging.wilson import interval


def covering(share: float, runs: int) -> tuple[float, float]:
    """The least and the greatest share of `runs` whose interval covers `share`."""
    hits = [k for k in range(runs + 1) if (i := interval(k, runs))[0] - 1e-12 <= share <= i[1] + 1e-12]
    return hits[0] / runs, hits[-1] / runs
