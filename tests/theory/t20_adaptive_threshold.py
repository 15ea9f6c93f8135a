"""One static timeout for three workloads, and one that follows what the other nodes need.

Each workload has its own service time and a node that is 30 of these away. An attempt that runs out is made
again at another node, and a breaker counts it. The best static timeout loses least over all three together.
"""

from math import inf
from statistics import fmean

from harness.clock import run_virtual
from policies.breakers.breaker_window import BreakerWindow
from policies.pickers.least_request import LeastRequest
from policies.pipeline import Pipeline
from policies.policy import Gate
from policies.retries.retry import Retry
from policies.timers.adaptive_timeout import AdaptiveTimeout
from policies.timers.timers import Timers
from tests.theory.delayed_node import Setting, answers_rps, degradation
from tests.theory.row import Row, Target

TARGET = Target("T20", "Xinda, NSDI'25: (d) adaptive and static thresholds")

MEANS_S = (0.05, 0.5, 5.0)
FAR = 30.0  # service times
STATIC_S = (0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0)
LO_S, HI_S = 0.01, 600.0  # what the adaptive one may choose
MEMORY_S = 300.0  # of the slowest workload, in which the defaults would hear too few answers


def fast() -> list[Row]:
    return _rows((0.5, 5.0, 50.0), services=1000)


def full() -> list[Row]:
    reason = "its 65 % is of a change inside its systems; here two timeouts of a client are compared"
    return [*_rows(STATIC_S, services=3000), TARGET.finding("(d) ADR cuts harm by 65 %", reason)]


def _rows(static_s: tuple[float, ...], services: int) -> list[Row]:
    """`services`: how long a run is, in service times."""
    healthy_rps = [_answers_rps(mean_s, 0.0, None, services) for mean_s in MEANS_S]
    adaptive = _lost(healthy_rps, None, services)
    static = {bound_s: _lost(healthy_rps, bound_s, services) for bound_s in static_s}
    best_s = min(static, key=lambda bound_s: fmean(static[bound_s]))
    name = f"(d) {len(MEANS_S)} workloads, services of {', '.join(f'{mean_s:g}' for mean_s in MEANS_S)} s"
    return [
        TARGET.at_most(
            f"{name}: mean D, adaptive, and half of the best static timeout's ({best_s:g} s)",
            fmean(static[best_s]) / 2,
            fmean(adaptive),
        ),
        TARGET.at_most(f"{name}: worst D, adaptive, and of that timeout", max(static[best_s]), max(adaptive)),
    ]


def _lost(healthy_rps: list[float], bound_s: float | None, services: int) -> list[float]:
    return [
        degradation(_answers_rps(mean_s, FAR * mean_s, bound_s, services), rps)
        for mean_s, rps in zip(MEANS_S, healthy_rps, strict=True)
    ]


def _answers_rps(mean_s: float, delay_s: float, bound_s: float | None, services: int) -> float:
    """With a static timeout of `bound_s`, or the adaptive one."""
    setting = Setting(nodes=4, callers=4, mean_s=mean_s, delay_s=delay_s)
    breaker = BreakerWindow(slow_ttft_s=inf, slow_tpot_s=inf, window_s=MEMORY_S, open_s=120.0)
    gates: tuple[Gate, ...] = (breaker,)
    pipeline = Pipeline(
        layers=(Retry(max_attempts=2, initial_s=0.0),),
        gates=gates
        if bound_s is not None
        else (*gates, AdaptiveTimeout(lo_s=LO_S, hi_s=HI_S, window_s=MEMORY_S)),
        picker=LeastRequest(choices=1),
        timers=Timers(ttft_s=inf if bound_s is None else bound_s),
    )
    return run_virtual(answers_rps(setting, pipeline, services * mean_s, f"T20 d {mean_s} {delay_s}"))
