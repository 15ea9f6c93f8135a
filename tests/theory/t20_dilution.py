"""Who waits for each answer asks little while it is slow, so a percentile over the whole run hides it.

One caller, one worker, slow for half of the time. The source does not say how service times vary; its figures
fit log-normal ones of sigma 0.3, and the exact percentile of that mixture is the second figure.
"""

import asyncio
import random
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from faults.engine.slow_steps import SlowSteps
from harness.clock import run_virtual
from harness.judging.percentiles import Floats
from tests.theory.queueing_parts import Census, closed_loop, inside, one_at_a_time, running
from tests.theory.row import Row, Target

TARGET = Target("T20", "Xinda, NSDI'25: (e) dilution")

SIGMA = 0.3


@dataclass(frozen=True, slots=True)
class Whole:
    """Of a run, over one of the same length without the fault."""

    p99_ratio: float
    throughput_ratio: float


def fast() -> list[Row]:
    return _rows(10_000.0, chance=0.06)


def full() -> list[Row]:
    return _rows(100_000.0, chance=0.02)


def _rows(lasts_s: float, chance: float) -> list[Row]:
    """`chance`: of the percentile of so many answers, as a ratio."""
    extreme, clear = whole(200.0, lasts_s), whole(20.0, lasts_s)
    name = "(e) slow for half of the run"
    return [
        TARGET.at_most(f"{name}, s 200: p99 of the run, times", 1.1, extreme.p99_ratio),
        TARGET.relative(f"{name}, s 200: p99, exact", exact_p99_ratio(200.0), extreme.p99_ratio, chance),
        TARGET.relative(f"{name}, s 200: throughput, times", 0.5, extreme.throughput_ratio, 0.02),
        TARGET.between(
            f"{name}, s 20: p99, times", 12.5, clear.p99_ratio, 12.0 * (1 - chance), 13.0 * (1 + chance)
        ),
        TARGET.relative(f"{name}, s 20: p99, exact", exact_p99_ratio(20.0), clear.p99_ratio, 2 * chance),
    ]


def exact_p99_ratio(factor: float) -> float:
    """Of a mixture in which 1 in `factor` + 1 answers is slow."""
    slow = 1 / (factor + 1)

    def above(seconds: float) -> float:
        return float((1 - slow) * ndtr(-log(seconds) / SIGMA) + slow * ndtr(-log(seconds / factor) / SIGMA))

    healthy_s = brentq(lambda seconds: ndtr(-log(seconds) / SIGMA) - 0.01, 1e-3, 1e3)
    return float(brentq(lambda seconds: above(seconds) - 0.01, 1e-3, 1e3 * factor)) / healthy_s


def whole(factor: float, lasts_s: float) -> Whole:
    slow_s, healthy_s = (run_virtual(_took_s(s, lasts_s)) for s in (factor, 1.0))
    p99_ratio = float(np.quantile(slow_s, 0.99) / np.quantile(healthy_s, 0.99))
    return Whole(p99_ratio, len(slow_s) / len(healthy_s))


async def _took_s(factor: float, lasts_s: float) -> Floats:
    """Of every answer; the worker is slow from the middle of the run on."""
    rng = random.Random("T20 e")
    worker = one_at_a_time("worker-0", lambda: rng.lognormvariate(0.0, SIGMA))
    census = Census(lambda: inside(worker))
    loop = asyncio.get_running_loop()
    loop.call_at(lasts_s / 2, worker.inject, SlowSteps(factor=factor), lasts_s)
    async with running(worker):
        await closed_loop(1, worker.handle, census, 0.0, lasts_s)
    return np.array(census.sojourns_s)
