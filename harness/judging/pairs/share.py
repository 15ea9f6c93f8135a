"""How far the requests of all pairs together leave a share open, however much alike the pairs are.

Against the control or the baseline it is held against the share there, which is taken as it was.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.judging.pairs import pooled
from harness.judging.pairs.figure import arm_of, figure_in, samples_in
from harness.judging.pairs.objective import Objective
from harness.judging.pairs.pair import PairResult
from harness.judging.result import RunResult


@dataclass(frozen=True, slots=True)
class OpenShare:
    """Requests that were hit, of so many. `usual`: the share in the other arm; 1 without one."""

    hits: float
    count: float
    usual: float

    def widened(self, lower: float, upper: float, error: float) -> tuple[float, float]:
        least = pooled.at_least(self.hits, self.count, error / 2) / self.usual
        return min(lower, least), max(upper, pooled.at_most(self.hits, self.count, error / 2) / self.usual)

    def chance(self, objective: Objective) -> float:
        """Of so many hits, or so few, were the limit kept."""
        limit = min(1.0, objective.limit * self.usual)
        if objective.upper:
            return pooled.chance_of(self.hits, self.count, limit)
        return pooled.chance_of(self.count - self.hits, self.count, 1 - limit)


def open_share(
    objective: Objective, pairs: Sequence[PairResult], baseline: Mapping[int, PairResult]
) -> OpenShare | None:
    """None where the figure is no share of requests, and where the other arm has none of them."""
    if objective.measured.unit != "share":
        return None
    hits, count = _pool(objective, (arm_of(objective, pair) for pair in pairs))
    usual = 1.0
    if objective.against == "control":
        usual = _share(objective, (pair.control for pair in pairs))
    elif objective.against == "baseline":
        usual = _share(objective, (arm_of(objective, baseline[pair.seed]) for pair in pairs))
    return OpenShare(hits, count, usual) if count and usual else None


def _share(objective: Objective, runs: Iterable[RunResult]) -> float:
    hits, count = _pool(objective, runs)
    return hits / count if count else 0.0


def _pool(objective: Objective, runs: Iterable[RunResult]) -> tuple[float, float]:
    """Requests that were hit, and all; both 0 where the figure is not of requests."""
    hits = count = 0.0
    for run in runs:
        share, samples = figure_in(objective, run), samples_in(objective, run)
        if share is not None and samples:
            hits, count = hits + share * samples, count + samples
    return hits, count
