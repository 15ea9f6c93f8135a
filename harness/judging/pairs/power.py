"""Which ratio so many pairs can prove, before any is run: from the noise between pairs.

The interval of the Hodges-Lehmann median is about as wide as Student's, over the root of its efficiency with
normal noise, 3 / pi (Hollander, Wolfe and Chicken, section 3.2).
"""

from math import exp, pi, sqrt

from scipy.special import ndtri, stdtrit

PAIR_NOISE_RATIO = 0.2  # standard deviation of the logarithm of a latency's ratio between two like runs
USUALLY = 0.8  # chance to prove what is so


def half_width(pairs: int, error: float, noise_ratio: float) -> float:
    """Of the interval of the logarithm, on average. `error`: two-sided."""
    return float(stdtrit(pairs - 1, 1 - error / 2)) * _spread(pairs, noise_ratio)


def provable_ratio(pairs: int, error: float, noise_ratio: float = PAIR_NOISE_RATIO) -> float:
    """The smallest limit under which a system that is not disturbed at all usually passes."""
    return exp(half_width(pairs, error, noise_ratio) + float(ndtri(USUALLY)) * _spread(pairs, noise_ratio))


def hopeless_ratio(pairs: int, error: float, noise_ratio: float = PAIR_NOISE_RATIO) -> float:
    """The limit under which it passes half the time: one nearer to 1 tells of the noise."""
    return exp(half_width(pairs, error, noise_ratio))


def _spread(pairs: int, noise_ratio: float) -> float:
    """Standard deviation of the median."""
    return noise_ratio / sqrt(pairs * 3 / pi)
