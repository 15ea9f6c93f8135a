"""The same added delay does more harm the faster everything else is."""

from dataclasses import replace
from itertools import pairwise

from harness.clock import run_virtual
from policies.pickers.least_request import LeastRequest
from policies.pipeline import Pipeline
from tests.theory.delayed_node import Setting, answers_rps, degradation, mean_value_analysis
from tests.theory.row import Row, Target

TARGET = Target("T20", "Xinda, NSDI'25: (b) faster baseline")

NODES, CALLERS = 8, 32
DELAY_S = 10.0
SPEEDS = (1, 2, 5)  # cores, as the source has them; a service takes a second on one
SOURCE = "7, 26 and 72 % lost at 1, 2 and 5 cores with 10 ms"


def fast() -> list[Row]:
    return _rows(answers=5_000, distance=0.06)


def full() -> list[Row]:
    reason = "its figures are of its own systems and machines; here it is the order, and the exact analysis"
    return [*_rows(answers=120_000, distance=0.02), TARGET.finding(f"(b) {SOURCE}", reason)]


def _rows(answers: int, distance: float) -> list[Row]:
    exact = [degradation(*map(mean_value_analysis, _pair(speed))) for speed in SPEEDS]
    got = [_measured(speed, answers) for speed in SPEEDS]
    name = f"(b) N {NODES}, C {CALLERS}, {DELAY_S:g} s more on the way to one node"
    return [
        *(
            TARGET.absolute(f"{name}, speed {speed}: D, exact", expected, measured, distance)
            for speed, expected, measured in zip(SPEEDS, exact, got, strict=True)
        ),
        TARGET.true(f"{name}: D grows with the speed", holds=all(low < high for low, high in pairwise(got))),
    ]


def _pair(speed: int) -> tuple[Setting, Setting]:
    """With the delay, and without."""
    far = Setting(nodes=NODES, callers=CALLERS, mean_s=1 / speed, delay_s=DELAY_S)
    return far, replace(far, delay_s=0.0)


def _measured(speed: int, answers: int) -> float:
    rates_rps = []
    for setting in _pair(speed):
        lasts_s = answers / mean_value_analysis(setting)
        pipeline = Pipeline(picker=LeastRequest(choices=1))
        rates_rps.append(run_virtual(answers_rps(setting, pipeline, lasts_s, f"T20 b {speed}")))
    return degradation(*rates_rps)
