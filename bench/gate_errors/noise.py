"""The noise of a shared machine: in a slower arm each step costs more, and what follows is simulated."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log

from harness.serving.cost_model import Costs

STEP = 0.2  # between two levels of speed, as a logarithm: an arm runs at most 10.5 % off what was drawn
LOWEST, HIGHEST = -5, 6  # levels: from 0.37 to 3.3 times as slow
HOP_SIGMA, LATE_SIGMA = 0.3, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Of the speed of arms that run one after another.

    Attributes:
        sigma: of the logarithm, between arms.
        drift: the most that the logarithm moves from the first arm to the last, either way, steadily.
        odd_ratio: share of the arms that something else disturbs.
        odd: how many times slower those are, or faster.
    """

    sigma: float = 0.2
    drift: float = 0.2
    odd_ratio: float = 0.1
    odd: float = 1.65

    def draw(self, arms: int, rng: random.Random) -> list[int]:
        """The level of each."""
        slope = rng.uniform(-self.drift, self.drift)
        return [level_of(self._log(slope * (arm / max(1, arms - 1) - 0.5), rng)) for arm in range(arms)]

    def _log(self, drifted: float, rng: random.Random) -> float:
        odd = rng.choice((-1, 1)) * log(self.odd) if rng.random() < self.odd_ratio else 0.0
        return drifted + rng.gauss(0.0, self.sigma) + odd


def level_of(logarithm: float) -> int:
    return min(HIGHEST, max(LOWEST, round(logarithm / STEP)))


def times_slower(level: int) -> float:
    return exp(level * STEP)


def disturbed(costs: Costs, level: int, rng: random.Random) -> Costs:
    """All of it slower, and hops and timers late by chance, as a busy scheduler makes them."""
    times = times_slower(level)
    hop, late = rng.lognormvariate(0.0, HOP_SIGMA), rng.lognormvariate(0.0, LATE_SIGMA)
    return replace(
        costs,
        fixed_s=costs.fixed_s * times,
        sequence_s=costs.sequence_s * times,
        prefill_token_s=costs.prefill_token_s * times,
        kv_token_s=costs.kv_token_s * times,
        hop_s=costs.hop_s * times * hop,
        link_s=costs.link_s * times * hop,
        late_s=costs.late_s * times * late,
    )


def in_pairs(levels: Sequence[int]) -> list[tuple[int, int]]:
    """Of arms in the order ABBA: the levels of the fault and of the control of each pair."""
    pairs = zip(levels[::2], levels[1::2], strict=True)
    return [
        (second, first) if number % 2 == 0 else (first, second)
        for number, (first, second) in enumerate(pairs)
    ]
