"""How long a phase must be for a fault that comes and goes to be there for as long as one that stays."""

from collections.abc import Iterator
from itertools import pairwise, takewhile

from faults.shape import Shape

MOST = 5  # times the phase at the most: who waits for a real run has an end in sight


def lasting_s(shape: Shape, strongest_s: float) -> float:
    """Seconds until the shape has been at its strongest for `strongest_s` in all, never fewer than that.

    If it is not within `MOST` times as many, the end of its last stretch at full strength before that.
    """
    left_s, end_s = strongest_s, strongest_s
    for start_s, stop_s in _at_full_strength(shape, MOST * strongest_s):
        end_s = max(end_s, min(stop_s, start_s + left_s))
        left_s -= stop_s - start_s
        if left_s <= 0:
            break
    return end_s


def _at_full_strength(shape: Shape, until_s: float) -> Iterator[tuple[float, float]]:
    changes = [*takewhile(lambda change: change[0] < until_s, shape.changes()), (until_s, 0.0)]
    return ((at_s, end_s) for (at_s, level), (end_s, _) in pairwise(changes) if level == 1)
