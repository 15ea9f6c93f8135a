"""One server, Poisson arrivals, exponential service: E[T] = S / (1 - rho), and sojourns are exponential."""

import numpy as np

from tests.theory.draws import even_draws, exponential
from tests.theory.one_server import serve
from tests.theory.row import Row, Target

TARGET = Target("T01", "M/M/1, Little")

# Standard deviation of the mean and of p99 / mean, as ratios, in 60 runs of the recursion with 200,000 jobs.
CHANCE = {0.5: (0.0042, 0.011), 0.8: (0.0132, 0.032), 0.9: (0.0296, 0.063)}
CHANCE_JOBS = 200_000
SOURCE_RATIO = 0.02  # the tolerance of the source, on both


def fast() -> list[Row]:
    return [row for rho in (0.5, 0.8) for row in _rows(rho, 20_000)]


def full() -> list[Row]:
    jobs = {0.5: 1_000_000, 0.8: 1_000_000, 0.9: 2_000_000}
    return [row for rho, count in jobs.items() for row in _rows(rho, count)]


def _rows(rho: float, jobs: int) -> list[Row]:
    gaps_s = exponential(even_draws(jobs, f"T01 gaps {rho}"), 1 / rho)
    run = serve(gaps_s, exponential(even_draws(jobs, f"T01 service {rho}")))
    mean_s, p99_s = run.sojourns_s.mean(), np.percentile(run.sojourns_s, 99)
    of_mean, of_p99 = (chance * (CHANCE_JOBS / jobs) ** 0.5 for chance in CHANCE[rho])
    name = f"rho {rho}"
    return [
        run.same_path(TARGET, name),
        _row(f"{name}: E[T]/S, {jobs:,} jobs", 1 / (1 - rho), mean_s, of_mean),
        _row(f"{name}: p99/E[T]", float(np.log(100)), p99_s / mean_s, of_p99),
        TARGET.relative(f"{name}: L against rho * W, offered", rho * mean_s, run.mean_inside, 0.01),
    ]


def _row(what: str, expected: float, got: float, chance: float) -> Row:
    """Within the source's tolerance, or four standard deviations where chance is wider."""
    ratio = 4 * chance
    if ratio <= SOURCE_RATIO:
        return TARGET.relative(what, expected, got, SOURCE_RATIO)
    return TARGET.absolute(what, expected, got, expected * ratio, f"±{ratio:.1%}, 4 sd")
