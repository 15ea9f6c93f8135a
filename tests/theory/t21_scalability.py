"""The Universal Scalability Law: a worker whose batch of n takes n / X(n), and callers that never rest."""

import random
from collections.abc import Callable, Iterable, Sequence

from harness.clock import run_virtual
from harness.judging.scalability import Scalability, fit
from harness.serving.engine import Sequence as Sequence_
from tests.theory.queueing_parts import Census, DrawnEngine, closed_loop, inside, running, worker_on
from tests.theory.row import Row, Target

TARGET = Target("T21", "Universal Scalability Law, Gunther")

LAW = Scalability(one_rps=1.0, contention_ratio=0.05, crosstalk_ratio=0.0005)
QUOTED_PEAK, QUOTED_GAIN = 43.6, 10.7
MOST = 100  # callers
STEPS = 40  # measured at each number of callers


def fast() -> list[Row]:
    """With steps that vary by 5 %, 500 fits to these ten points deviated by 2.5 % in b, 0.5 in the peak."""
    return _rows([1, 2, 4, 8, 16, 32, 48, 64, 80, MOST], 0.05)


def full() -> list[Row]:
    return _rows(range(1, MOST + 1), 0.2)


def _rows(callers: Iterable[int], varied: float) -> list[Row]:
    """`varied`: standard deviation of a step in the second sweep, as a ratio."""
    sweep = list(callers)
    chance, shape = random.Random("T21"), varied**-2
    exact_rps = [run_virtual(_throughput_rps(n, lambda: 1.0)) for n in sweep]
    noisy_rps = [
        run_virtual(_throughput_rps(n, lambda: chance.gammavariate(shape, 1 / shape))) for n in sweep
    ]
    furthest = max(abs(got / LAW.throughput_rps(n) - 1) for n, got in zip(sweep, exact_rps, strict=True))
    return [
        TARGET.absolute(f"n 1 to {MOST}: furthest X(n) from the law, as a ratio", 0, furthest, 1e-9),
        TARGET.absolute("quoted peak, callers", QUOTED_PEAK, LAW.peak, 0.05),
        TARGET.absolute("quoted X(peak)/X(1)", QUOTED_GAIN, LAW.throughput_rps(LAW.peak), 0.05),
        *_fit_rows("steps as in the law", fit(sweep, exact_rps)),
        *_fit_rows(f"steps that vary by {varied:.0%}", fit(sweep, noisy_rps)),
    ]


def _fit_rows(name: str, found: Scalability) -> list[Row]:
    return [
        TARGET.relative(f"{name}: fitted a", LAW.contention_ratio, found.contention_ratio, 0.1),
        TARGET.relative(f"{name}: fitted b", LAW.crosstalk_ratio, found.crosstalk_ratio, 0.1),
        TARGET.absolute(f"{name}: fitted peak, callers", QUOTED_PEAK, found.peak, 3.0),
    ]


async def _throughput_rps(callers: int, vary: Callable[[], float]) -> float:
    """Answers per second, where each step takes `vary()` times as long as by the law."""

    def step_s(batch: Sequence[Sequence_]) -> float:
        return vary() * len(batch) / LAW.throughput_rps(len(batch))

    worker = worker_on(DrawnEngine(step_s, max_num_seqs=MOST))
    census = Census(lambda: inside(worker))
    one_step_s = callers / LAW.throughput_rps(callers)
    async with running(worker):
        return await closed_loop(callers, worker.handle, census, 0.5 * one_step_s, STEPS * one_step_s)
