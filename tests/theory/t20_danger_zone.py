"""The danger zone: which slow factors cost callers that share slots a tenth of their answers, and a half."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq

from harness.clock import run_virtual
from tests.theory.row import Row, Target
from tests.theory.t06_closed_network import flow, mean_value_analysis

TARGET = Target("T20", "Xinda, NSDI'25: (a) danger zone")

TENTH, HALF = 0.1, 0.5
# Nodes and callers: slow factor that loses a tenth, and a half.
QUOTED = {(8, 32): (1.33, 2.44), (8, 64): (1.23, 2.22), (4, 16): (1.26, 2.37)}
ASIDE = (0.9, 1.0, 1.1)  # times the quoted factor: where it is measured
CLOSE = 0.05  # ratio


@dataclass(frozen=True, slots=True)
class Pool:
    nodes: int
    callers: int

    @property
    def name(self) -> str:
        return f"(a) N {self.nodes}, C {self.callers}"

    def exact(self, factor: float) -> float:
        """D(s) by mean-value analysis."""
        healthy, slow = (mean_value_analysis(s, self.nodes, self.callers).rps for s in (1.0, factor))
        return 1 - slow / healthy

    @cache  # noqa: B019  # pools are few, and equal ones the same
    def measured_rps(self, factor: float, answers: int) -> float:
        lasts_s = answers / mean_value_analysis(factor, self.nodes, self.callers).rps
        return run_virtual(flow(factor, lasts_s, self.nodes, self.callers)).rps


def fast() -> list[Row]:
    """With 16,000 answers at each of four factors the one that loses a half deviates by a twentieth."""
    return [*_exact_rows(Pool(8, 32)), _measured_row(Pool(4, 16), HALF, 16_000, 4 * CLOSE)]


def full() -> list[Row]:
    exact = [row for pool in QUOTED for row in _exact_rows(Pool(*pool))]
    measured = [_measured_row(Pool(*pool), lost, 60_000, CLOSE) for pool in QUOTED for lost in (TENTH, HALF)]
    return [*exact, *measured]


def _quoted(pool: Pool, lost: float) -> float:
    tenth, half = QUOTED[pool.nodes, pool.callers]
    return tenth if lost == TENTH else half


def _exact_rows(pool: Pool) -> list[Row]:
    factors = [brentq(lambda s, lost=lost: pool.exact(s) - lost, 1.0, 20.0) for lost in (TENTH, HALF)]
    rows = [
        TARGET.absolute(
            f"{pool.name}: s that loses {lost:.0%}, the analysis gives the quoted",
            _quoted(pool, lost),
            got,
            0.006,
        )
        for lost, got in zip((TENTH, HALF), factors, strict=True)
    ]
    width = f"{pool.name}: width of the zone, s that loses half over s that loses a tenth"
    return [*rows, TARGET.at_most(width, 2.0, factors[1] / factors[0])]


def _measured_row(pool: Pool, lost: float, answers: int, ratio: float) -> Row:
    """Where the line through three measured D(s) beside the quoted factor comes to `lost`."""
    quoted = _quoted(pool, lost)
    healthy_rps = pool.measured_rps(1.0, answers)
    factors = [quoted * aside for aside in ASIDE]
    losses = [1 - pool.measured_rps(factor, answers) / healthy_rps for factor in factors]
    slope, start = np.polyfit(factors, losses, 1)
    return TARGET.relative(
        f"{pool.name}: s that loses {lost:.0%}", quoted, float((lost - start) / slope), ratio
    )
