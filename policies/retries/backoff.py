"""How long to wait before another attempt. Numbers in, numbers out.

Source: AWS Architecture Blog, "Exponential Backoff and Jitter"; full jitter is also that of gRPC proposal A6.
"""

import random
from collections.abc import Callable


def longest_s(made: int, initial_s: float, multiplier: float, max_s: float) -> float:
    """min(max_s, initial_s * multiplier^(made - 1)) after `made` attempts, in seconds."""
    try:
        return min(max_s, initial_s * multiplier ** (made - 1))
    except OverflowError:
        return max_s if initial_s else 0.0


# Seconds to wait, from: the longest wait, the last one (`initial_s` at first), and the bounds of all.
Wait = Callable[[float, float, float, float, random.Random], float]


def _full(longest: float, last_s: float, initial_s: float, max_s: float, rng: random.Random) -> float:
    """U(0, longest)."""
    return rng.uniform(0, longest)


def _off(longest: float, last_s: float, initial_s: float, max_s: float, rng: random.Random) -> float:
    return longest


def _equal(longest: float, last_s: float, initial_s: float, max_s: float, rng: random.Random) -> float:
    """longest / 2 + U(0, longest / 2)."""
    return longest / 2 + rng.uniform(0, longest / 2)


def _decorrelated(longest: float, last_s: float, initial_s: float, max_s: float, rng: random.Random) -> float:
    """min(max_s, U(initial_s, 3 * last_s)): grows from what was drawn, not from the number of attempts."""
    return min(max_s, rng.uniform(initial_s, 3 * last_s))


JITTERS: dict[str, Wait] = {"full": _full, "off": _off, "equal": _equal, "decorrelated": _decorrelated}
