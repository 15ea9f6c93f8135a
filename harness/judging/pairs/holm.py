"""Which of several hypotheses fall, when the chance that any falls wrongly is to stay below one bound.

Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
"""

from collections.abc import Sequence


def rejected(chances: Sequence[float], error: float) -> list[bool]:
    """For each p-value whether it falls: the smallest against error / n, the next against error / (n - 1)."""
    falls = [False] * len(chances)
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[index] > error / (len(chances) - rank):
            break
        falls[index] = True
    return falls
