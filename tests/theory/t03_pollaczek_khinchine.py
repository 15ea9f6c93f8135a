"""One server, Poisson arrivals, any service: Wq = lambda * E[S^2] / (2 * (1 - rho))."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.theory.draws import Draws, even_draws, exponential
from tests.theory.one_server import serve
from tests.theory.row import Row, Target

TARGET = Target("T03", "Pollaczek-Khinchine")
RHO = 0.8
RARE_RATIO, RARE_S, COMMON_S = 0.001, 10.0, 0.1


@dataclass(frozen=True, slots=True)
class Service:
    """Service times and their first two moments.

    `chance`: standard deviation of the mean sojourn, as a ratio, in 60 runs of the recursion with 200,000
    jobs.
    """

    name: str
    times_s: Callable[[Draws], Draws]
    mean_s: float
    second_moment: float
    chance: float

    def sojourn_s(self) -> float:
        """E[T] at RHO."""
        return self.mean_s + RHO / self.mean_s * self.second_moment / (2 * (1 - RHO))


def _bimodal(draws: Draws) -> Draws:
    """99.9 % exponential of mean 0.1, the others of mean 10: the smallest draws are the rare jobs."""
    rare = exponential(draws / RARE_RATIO, RARE_S)
    common = exponential((draws - RARE_RATIO).clip(1e-12) / (1 - RARE_RATIO), COMMON_S)
    return np.where(draws < RARE_RATIO, rare, common)


CONSTANT = Service("M/D/1", np.ones_like, 1.0, 1.0, 0.0078)
BIMODAL = Service(
    "M/G/1, bimodal",
    _bimodal,
    (1 - RARE_RATIO) * COMMON_S + RARE_RATIO * RARE_S,
    2 * (1 - RARE_RATIO) * COMMON_S**2 + 2 * RARE_RATIO * RARE_S**2,
    0.075,
)


def fast() -> list[Row]:
    sizes = ((CONSTANT, 20_000), (BIMODAL, 40_000))
    return [r for s, jobs in sizes for r in _rows(s, jobs, 4 * s.chance * (200_000 / jobs) ** 0.5)]


def full() -> list[Row]:
    return [*_rows(CONSTANT, 1_000_000, 0.02), *_rows(BIMODAL, 2_500_000, 0.06)]


def _rows(service: Service, jobs: int, ratio: float) -> list[Row]:
    gaps_s = exponential(even_draws(jobs, f"T03 gaps {service.name}"), service.mean_s / RHO)
    run = serve(gaps_s, service.times_s(even_draws(jobs, f"T03 service {service.name}")))
    name = f"{service.name}, rho {RHO}"
    return [
        run.same_path(TARGET, name),
        TARGET.relative(f"{name}: E[T], {jobs:,} jobs", service.sojourn_s(), run.sojourns_s.mean(), ratio),
    ]
