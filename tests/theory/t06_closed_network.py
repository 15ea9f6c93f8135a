"""The limplock law: callers that never rest, nodes chosen at random, and one of them is slow."""

from dataclasses import dataclass

from harness.clock import run_virtual
from policies.pickers.least_request import LeastRequest
from tests.theory.fleet import fleet
from tests.theory.queueing_parts import Census, closed_loop, running
from tests.theory.row import Row, Target

TARGET = Target("T06", "Closed network, exact MVA")

NODES, CALLERS = 8, 32
AT_RANDOM = LeastRequest(choices=1)

# Slow factor: throughput to that without a slow node, share of the callers at the slow node.
QUOTED = {
    1.5: (0.810, 0.570),
    2.0: (0.609, 0.781),
    3.0: (0.406, 0.891),
    5.0: (0.244, 0.945),
    10.0: (0.122, 0.976),
    20.0: (0.061, 0.989),
}
WARM_UP_RATIO = 0.1  # of the answers, not counted


@dataclass(frozen=True, slots=True)
class Flow:
    """Answers per second, and the mean number of callers at the first node."""

    rps: float
    at_first: float


def fast() -> list[Row]:
    """The slow node gives 1,200 answers: its service and its share of the draws deviate by 2.9 % each."""
    return _rows(3.0, 9_600, throughput_ratio=4 * 0.041, share_ratio=0.1)


def full() -> list[Row]:
    quoted = [row for factor in QUOTED for row in _formula_rows(factor)]
    return [*quoted, *(row for factor in QUOTED for row in _rows(factor, 150_000, 0.02, 0.02))]


def mean_value_analysis(factor: float, nodes: int = NODES, callers: int = CALLERS) -> Flow:
    """One node `factor` times slower than a second, the others not; each visited with the same chance."""
    means_s = [factor, *[1.0] * (nodes - 1)]
    length = [0.0] * nodes
    rps = 0.0
    for present in range(1, callers + 1):
        stays_s = [mean_s * (1 + queue) / nodes for mean_s, queue in zip(means_s, length, strict=True)]
        rps = present / sum(stays_s)
        length = [rps * stay_s for stay_s in stays_s]
    return Flow(rps, length[0])


def healthy_rps() -> float:
    return NODES * CALLERS / (CALLERS + NODES - 1)


def _formula_rows(factor: float) -> list[Row]:
    exact, (throughput, share) = mean_value_analysis(factor), QUOTED[factor]
    name = f"s {factor:g}: the analysis gives the quoted"
    return [
        TARGET.absolute(f"{name} X(s)/X0", throughput, exact.rps / healthy_rps(), 0.0006),
        TARGET.absolute(f"{name} share", share, exact.at_first / CALLERS, 0.0006),
    ]


def _rows(factor: float, answers: int, throughput_ratio: float, share_ratio: float) -> list[Row]:
    exact = mean_value_analysis(factor)
    got = run_virtual(flow(factor, answers / exact.rps))
    name = f"N {NODES}, C {CALLERS}, s {factor:g}"
    healthy, bound = healthy_rps(), NODES / factor * (1 + throughput_ratio)
    share, got_share = exact.at_first / CALLERS, got.at_first / CALLERS
    return [
        TARGET.relative(f"{name}: X(s)/X0", exact.rps / healthy, got.rps / healthy, throughput_ratio),
        TARGET.relative(f"{name}: share of callers at the slow node", share, got_share, share_ratio),
        TARGET.at_most(f"{name}: X under N*mu/s and {throughput_ratio:.1%} of chance", bound, got.rps),
    ]


async def flow(factor: float, lasts_s: float, size: int = NODES, callers: int = CALLERS) -> Flow:
    nodes = fleet(size, AT_RANDOM, f"T06 {factor}", first_mean_s=factor)
    census = Census(lambda: nodes.gateway.in_flight)
    async with running(*nodes.workers):
        rps = await closed_loop(
            callers, nodes.gateway.handle, census, WARM_UP_RATIO * lasts_s, lasts_s, *nodes.censuses
        )
        return Flow(rps, nodes.censuses[0].mean_inside())
