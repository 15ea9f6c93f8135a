"""A delay just below a static threshold does more harm than one far above it, which is noticed.

A breaker that takes a first token after 4 s for slow. Callers that never rest, one at a time for each node.
"""

from itertools import pairwise
from math import inf

from harness.clock import run_virtual
from policies.breakers.breaker_window import BreakerWindow
from policies.pickers.least_request import LeastRequest
from policies.pipeline import Pipeline
from tests.theory.delayed_node import Setting, answers_rps, degradation
from tests.theory.row import Row, Target

TARGET = Target("T20", "Xinda, NSDI'25: (c) a static threshold is not monotonic")

THRESHOLD_S = 4.0
UNSEEN_S = (0.5, 1.0, 2.0, 3.2)  # with the service well below it
SEEN_S = (6.0, 12.0)
HALF = 0.5


def fast() -> list[Row]:
    return _rows((1.0, 3.2), (12.0,), lasts_s=300.0)


def full() -> list[Row]:
    return _rows(UNSEEN_S, SEEN_S, lasts_s=3000.0)


def _rows(unseen_s: tuple[float, ...], seen_s: tuple[float, ...], lasts_s: float) -> list[Row]:
    healthy_rps = _answers_rps(0.0, lasts_s)
    lost = {
        delay_s: degradation(_answers_rps(delay_s, lasts_s), healthy_rps) for delay_s in (*unseen_s, *seen_s)
    }
    name, worst = f"(c) breaker at {THRESHOLD_S:g} s", lost[unseen_s[-1]]
    grows = all(lost[low_s] < lost[high_s] for low_s, high_s in pairwise(unseen_s))
    return [
        TARGET.true(f"{name}: D grows up to the threshold", holds=grows),
        *(
            TARGET.at_most(
                f"{name}: D with {delay_s:g} s, and half of D with {unseen_s[-1]:g} s",
                HALF * worst,
                lost[delay_s],
            )
            for delay_s in seen_s
        ),
    ]


def _answers_rps(delay_s: float, lasts_s: float) -> float:
    setting = Setting(nodes=4, callers=4, mean_s=0.2, delay_s=delay_s)
    breaker = BreakerWindow(slow_ttft_s=THRESHOLD_S, slow_tpot_s=inf)
    pipeline = Pipeline(gates=(breaker,), picker=LeastRequest(choices=1))
    return run_virtual(answers_rps(setting, pipeline, lasts_s, f"T20 c {delay_s}"))
