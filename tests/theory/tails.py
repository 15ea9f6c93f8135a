"""The exact distribution of the time that a job spends at one server, first come first served."""

from collections.abc import Callable, Sequence
from math import exp, factorial

import numpy as np

Tail = Callable[[float], float]  # P(T > t)


def open_tail(rho: float, shares: Sequence[float], means_s: Sequence[float]) -> Tail:
    """Of M/G/1 at utilisation `rho`, where a share of the jobs each is exponential with a mean of its own.

    Pollaczek-Khinchine: (1 - rho) s B(s) / (s - lambda + lambda B(s)). B is rational here, so the inverse
    is a sum over the poles.
    """
    rates = [1 / mean_s for mean_s in means_s]
    below = np.poly1d([-rate for rate in rates], r=True)
    above = sum(
        (
            share * rate * np.poly1d([-other for other in rates if other != rate], r=True)
            for share, rate in zip(shares, rates, strict=True)
        ),
        np.poly1d([0.0]),
    )
    mean_s = sum(share / rate for share, rate in zip(shares, rates, strict=True))
    arrivals_rps = rho / mean_s
    poles, _ = np.polydiv((np.poly1d([1.0, -arrivals_rps]) * below + arrivals_rps * above).coeffs, [1.0, 0.0])
    at, slope = np.roots(poles), np.poly1d(poles).deriv()
    weights = (1 - rho) * above(at) / slope(at) / -at
    return lambda t_s: float(np.real(np.sum(weights * np.exp(at * t_s))))


def closed_tail(callers: int, mean_s: float, think_s: float) -> Tail:
    """Of exponential jobs of `callers` that pause for `think_s` on average.

    The arrival theorem: a job finds the system as it would be with one caller fewer.
    """
    others, rate = callers - 1, 1 / mean_s
    ratio = mean_s / think_s
    weights = [factorial(others) / factorial(others - k) * ratio**k for k in range(callers)]
    return lambda t_s: sum(
        weight / sum(weights) * exp(-rate * t_s) * sum((rate * t_s) ** i / factorial(i) for i in range(k + 1))
        for k, weight in enumerate(weights)
    )


def quantile_s(tail: Tail, share: float) -> float:
    """By bisection."""
    low_s, high_s = 0.0, 1000.0
    for _ in range(60):
        middle_s = (low_s + high_s) / 2
        low_s, high_s = (middle_s, high_s) if tail(middle_s) > 1 - share else (low_s, middle_s)
    return low_s
