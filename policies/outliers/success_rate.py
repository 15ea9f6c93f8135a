"""Envoy's success-rate rule: numbers in, names out."""

from collections.abc import Mapping
from statistics import fmean, pstdev


def low_success(rates: Mapping[str, float], stdev_factor: float) -> list[str]:
    """The hosts whose rate is below mean - `stdev_factor` x standard deviation of all rates.

    Nobody among N can be further than sqrt(N - 1) deviations from the mean, the others all being equal: with
    Envoy's 1.9 nobody among four or fewer is ever found, and one that fails every call hides in a pool in
    which a second one does.
    """
    if not rates:
        return []
    bound = fmean(rates.values()) - stdev_factor * pstdev(rates.values())
    return [host for host, rate in rates.items() if rate < bound]
