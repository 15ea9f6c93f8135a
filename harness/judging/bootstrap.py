"""How sure a figure of one noisy run is: resample whole seconds, never single requests.

Requests of one second share its queue, so they are no independent evidence; seconds nearly are. Every bound
is one-sided 99 %: the true value is above `lower` (or below `upper`) except once in a hundred.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.judging.percentiles import Floats
from harness.judging.windows import Window

REPLICATES = 1000
BLOCK_S = 1.0
CONFIDENCE = 0.99
_CELLS = 4_000_000  # of the largest table: 16 MB

Ranks = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """A window cut into equal blocks of at least a second, and how often each replicate draws each block."""

    window: Window
    edges: Floats  # blocks + 1
    weights: NDArray[np.int32]  # replicates x blocks

    def of(self, times: Floats) -> Ranks:
        """The block of each time; all of them must lie inside the window."""
        inner = self.edges[1:-1]
        return np.searchsorted(inner, times, side="right")

    def totals(self, times: Floats, amounts: Floats) -> Floats:
        """The sum of `amounts` in each replicate."""
        per_block = np.bincount(self.of(times), weights=amounts, minlength=len(self.edges) - 1)
        return np.asarray(self.weights @ per_block, dtype=np.float64)

    def means(self, per_block: Floats) -> Floats:
        """The mean over the blocks of each replicate."""
        return np.asarray(self.weights @ per_block / (len(self.edges) - 1), dtype=np.float64)

    def quantiles(self, times: Floats, values: Floats, q: float) -> Floats:
        """The nearest-rank q-quantile of each replicate; NaN for a replicate without values."""
        order = np.argsort(values)
        return _weighted_quantile(values[order], self.of(times)[order], self.weights, q)


def cut(window: Window, rng: np.random.Generator) -> Blocks:
    count = max(1, int(window.length_s / BLOCK_S + 1e-9))
    edges = np.linspace(window.start_s, window.end_s, count + 1)
    weights = rng.multinomial(count, [1 / count] * count, size=REPLICATES)
    return Blocks(window, edges, weights.astype(np.int32))


def bounds(replicates: Floats) -> tuple[float, float]:
    """The lower and the upper bound of a figure that came out as `replicates`."""
    ranked = np.sort(replicates[~np.isnan(replicates)])
    if not len(ranked):
        return float("-inf"), float("inf")
    tail = int((1 - CONFIDENCE) * len(ranked))
    return float(ranked[tail]), float(ranked[len(ranked) - 1 - tail])


def _weighted_quantile(ranked: Floats, block: Ranks, weights: NDArray[np.int32], q: float) -> Floats:
    """The smallest of `ranked` that q of each replicate do not exceed, found by halving the ranks.

    Exact, and it never lays out replicates x values: a replicate weighs whole blocks, so it is enough to know
    how many of the first k ranked values lie in each block.
    """
    count, drawn = _counter(block, weights.shape[1]), np.bincount(block, minlength=weights.shape[1])
    total = weights @ drawn
    wanted = np.maximum(np.ceil(q * total - 1e-9), 1)
    low, high = np.zeros(len(weights), dtype=np.intp), np.full(len(weights), len(ranked), dtype=np.intp)
    while (high - low > 1).any():  # low: too few, high: enough
        middle = (low + high) // 2
        enough = np.einsum("rb,rb->r", weights, count(middle)) >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(total > 0, ranked[high - 1], np.nan)


def _counter(block: Ranks, blocks: int) -> Callable[[Ranks], NDArray[np.integer]]:
    """How many of the first k ranked values lie in each block: one row a replicate, given a k for each."""
    values = len(block)
    if blocks * (values + 1) <= _CELLS:
        table = np.zeros((values + 1, blocks), dtype=np.int32)
        table[np.arange(1, values + 1), block] = 1
        np.cumsum(table, axis=0, out=table)
        return lambda first: table[first]
    # Too many for a table: the ranks of each block in turn, each block's shifted beyond those before it.
    places = np.sort(block * (values + 1) + np.arange(values))
    shifts = np.arange(blocks) * (values + 1)
    before = np.searchsorted(places, shifts)
    return lambda first: np.searchsorted(places, shifts + first[:, None]) - before
