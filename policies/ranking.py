"""One figure of each worker, in order, so that the median of all but one costs no search."""

from collections.abc import Mapping


class Ranking:
    """Made once from all figures; costs their number. Without figures it knows no median."""

    __slots__ = ("_ordered", "_rank")

    def __init__(self, values: Mapping[str, float]) -> None:
        ranked = sorted(values, key=values.__getitem__)
        self._ordered = [values[worker] for worker in ranked]
        self._rank = {worker: rank for rank, worker in enumerate(ranked)}

    def median_without(self, worker: str) -> float | None:
        """The median of the others' figures; None without others."""
        rank = self._rank.get(worker)
        count = len(self._ordered) - (rank is not None)
        if not count:
            return None
        left = len(self._ordered) if rank is None else rank
        low, high = (count - 1) // 2, count // 2
        return (self._ordered[low + (low >= left)] + self._ordered[high + (high >= left)]) / 2
