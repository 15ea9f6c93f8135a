"""Measurements that take turns, so that a change in the machine's speed hits all of them alike."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import median

Measure = Callable[[], Awaitable[float]]


async def take_turns(measures: Mapping[str, Measure], rounds: int) -> dict[str, list[float]]:
    """One result of each measure per round. A first round warms up and is thrown away.

    Every second round goes backwards (A B, B A, A B): a steady drift of the machine then favours nobody.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    results: dict[str, list[float]] = {name: [] for name in measures}
    for number in range(rounds + 1):
        names = list(measures) if number % 2 else list(measures)[::-1]
        for name in names:
            value = await measures[name]()
            if number:
                results[name].append(value)
    return results


def median_ratio(tops: Sequence[float], bottoms: Sequence[float]) -> float:
    """Median over the rounds of top / bottom, each pair from the same round."""
    return median(top / bottom for top, bottom in zip(tops, bottoms, strict=True))
