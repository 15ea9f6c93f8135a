"""How sure a figure of one noisy run is: resample whole seconds, never single requests.

Requests of one second share its queue, so they are no independent evidence; seconds nearly are. Every bound
is one-sided 99 %: the true value is above `lower` (or below `upper`) except once in a hundred.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.judging.percentiles import Floats
from harness.judging.windows import Window

REPLICATES = 1000
BLOCK_S = 1.0
CONFIDENCE = 0.99
_CELLS = 4_000_000  # of the largest table held at a time: 16 MB


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """A window cut into equal blocks of at least a second, and how often each replicate draws each block."""

    window: Window
    edges: Floats  # blocks + 1
    weights: NDArray[np.int32]  # replicates x blocks

    def of(self, times: Floats) -> NDArray[np.intp]:
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
        ranked, block = values[order], self.of(times)[order]
        rows = max(1, _CELLS // max(1, len(values)))
        parts = [
            _weighted_quantile(ranked, self.weights[first : first + rows, block], q)
            for first in range(0, len(self.weights), rows)
        ]
        return np.concatenate(parts)


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


def _weighted_quantile(ranked: Floats, weights: NDArray[np.int32], q: float) -> Floats:
    reached = np.cumsum(weights, axis=1, dtype=np.int32)
    total = reached[:, -1]
    rank = np.maximum(np.ceil(q * total - 1e-9), 1)
    picked = ranked[np.minimum((reached < rank[:, None]).sum(axis=1), len(ranked) - 1)]
    return np.where(total > 0, picked, np.nan)
