"""What a closed loop of callers does not see: it asks less the slower the server is.

The source's think times give its closed loops the utilisation of the open one, 0.8. Percentiles are over all
requests of all runs, from an empty start. Where the distribution is known it is the second figure: the open
queue by inverting its transform, the closed one by the arrival theorem.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from harness.clock import run_virtual
from harness.load.arrivals import poisson
from harness.load.callers import cancel_all
from harness.serving.worker import Worker
from tests.theory.queueing_parts import Census, inside, new_call, one_at_a_time, open_loop, running
from tests.theory.row import Row, Target
from tests.theory.tails import closed_tail, open_tail, quantile_s

TARGET = Target("T13", "Brooker 2023-05-10, open and closed loops; Schroeder NSDI'06")
OWN = Target("T13", f"{TARGET.source}; with callers of the study's own")

RHO = 0.8
PATIENCE_S = 15.0  # who waited longer asks for one more job


@dataclass(frozen=True, slots=True)
class Jobs:
    """A mix of exponential service times: with probability `shares[i]` of mean `means_s[i]`."""

    name: str
    shares: tuple[float, ...]
    means_s: tuple[float, ...]

    @property
    def mean_s(self) -> float:
        return sum(share * mean_s for share, mean_s in zip(self.shares, self.means_s, strict=True))

    @property
    def arrivals_rps(self) -> float:
        return RHO / self.mean_s

    def think_s(self, callers: int) -> float:
        """The source's mean pause of each of `callers`."""
        return (1 - RHO) * self.mean_s + (callers - 1) * self.mean_s / RHO

    def draw_s(self, rng: random.Random) -> float:
        (mean_s,) = rng.choices(self.means_s, self.shares)
        return rng.expovariate(1 / mean_s)


EXPONENTIAL = Jobs("exponential", (1.0,), (0.1,))
BIMODAL = Jobs("bimodal", (0.999, 0.001), (0.1, 10.0))


def fast() -> list[Row]:
    """Closed loops settle soon; the open queue is left to the full study but for one short run."""
    closed = [closed_s(EXPONENTIAL, callers, 1500.0, 1) for callers in (1, 10)]
    alone = _p99_s(closed_s(BIMODAL, 1, 1500.0, 1))
    return [
        OWN.relative("exponential, closed, 1 caller: p99, s", 0.46, _p99_s(closed[0]), 0.08),
        OWN.relative("exponential, closed, 10 callers: p99, s", 0.95, _p99_s(closed[1]), 0.12),
        OWN.relative("bimodal, closed, 1 caller: p99, s", 0.47, alone, 0.08),
        TARGET.at_least(
            "bimodal: p99 of the open loop over that", 25.0, _p99_s(open_s(BIMODAL, 3000.0, 1)) / alone
        ),
    ]


def full() -> list[Row]:
    open_exp, open_bimodal = open_s(EXPONENTIAL, 5000.0, 8), open_s(BIMODAL, 5000.0, 16)
    closed = {
        (jobs.name, n): closed_s(jobs, n, 5000.0, 3) for jobs in (EXPONENTIAL, BIMODAL) for n in (1, 10)
    }
    p99_s = {key: _p99_s(sojourns_s) for key, sojourns_s in closed.items()}
    exact_s = (
        quantile_s(open_tail(RHO, EXPONENTIAL.shares, EXPONENTIAL.means_s), 0.99),
        quantile_s(open_tail(RHO, BIMODAL.shares, BIMODAL.means_s), 0.99),
    )
    closed_exact_s = quantile_s(closed_tail(10, EXPONENTIAL.mean_s, EXPONENTIAL.think_s(10)), 0.99)
    over = _p99_s(open_bimodal) / p99_s["bimodal", 1], _p99_s(open_bimodal) / p99_s["bimodal", 10]
    return [
        TARGET.relative("exponential, open: p99, s", 2.33, _p99_s(open_exp), 0.05),
        TARGET.relative("exponential, open: p99, s, exact", exact_s[0], _p99_s(open_exp), 0.05),
        OWN.relative("exponential, closed, 1 caller: p99, s", 0.46, p99_s["exponential", 1], 0.05),
        OWN.relative("exponential, closed, 10 callers: p99, s", 0.95, p99_s["exponential", 10], 0.05),
        OWN.relative(
            "exponential, closed, 10 callers: p99, s, exact", closed_exact_s, p99_s["exponential", 10], 0.02
        ),
        TARGET.relative("bimodal, open: p99, s", 43.0, _p99_s(open_bimodal), 0.15),
        TARGET.relative("bimodal, open: p99, s, exact", exact_s[1], _p99_s(open_bimodal), 0.15),
        OWN.relative("bimodal, closed, 1 caller: p99, s", 0.47, p99_s["bimodal", 1], 0.05),
        OWN.relative("bimodal, closed, 10 callers: p99, s", 1.23, p99_s["bimodal", 10], 0.15),
        TARGET.at_least("bimodal: p99 of the open loop over 1 caller's", 25.0, over[0]),
        TARGET.at_least("bimodal: p99 of the open loop over 10 callers'", 25.0, over[1]),
        *_impatience_rows(3),
    ]


def _impatience_rows(runs: int) -> list[Row]:
    left = fmean(run_virtual(_impatient(BIMODAL, 5000.0, seed)) for seed in range(runs))
    what = f"bimodal, open, one more job for each that took over {PATIENCE_S:g} s: jobs inside at 5000 s"
    return [OWN.between(what, 32_000, left, 28_000, 36_000)]


def _p99_s(sojourns_s: Sequence[float]) -> float:
    return float(np.quantile(sojourns_s, 0.99))


def open_s(jobs: Jobs, lasts_s: float, runs: int) -> list[float]:
    """Sojourns of Poisson arrivals."""
    return [s for seed in range(runs) for s in run_virtual(_open(jobs, lasts_s, seed))]


def closed_s(jobs: Jobs, callers: int, lasts_s: float, runs: int) -> list[float]:
    """Sojourns of `callers` that pause between an answer and the next request."""
    return [s for seed in range(runs) for s in run_virtual(_closed(jobs, callers, lasts_s, seed))]


async def _open(jobs: Jobs, lasts_s: float, seed: int) -> Sequence[float]:
    worker, census = _station(jobs, seed)
    arrivals_s = poisson(jobs.arrivals_rps, 0.0, lasts_s, random.Random(f"arrivals {seed}"))
    async with running(worker):
        await open_loop(arrivals_s, worker.handle, census)
    return census.sojourns_s


async def _closed(jobs: Jobs, callers: int, lasts_s: float, seed: int) -> Sequence[float]:
    worker, census = _station(jobs, seed)
    thinking = random.Random(f"thinking {seed}")

    async def call_for_ever(number: int) -> None:
        while True:
            await census.visit(worker.handle(new_call(number)))
            await asyncio.sleep(thinking.expovariate(1 / jobs.think_s(callers)))

    async with running(worker):
        tasks = [asyncio.create_task(call_for_ever(number)) for number in range(callers)]
        await asyncio.sleep(lasts_s)
        census.assert_little()
        await cancel_all(tasks)
    return census.sojourns_s


async def _impatient(jobs: Jobs, lasts_s: float, seed: int) -> int:
    """Jobs inside at the end, where each that took too long makes its caller ask for another as well."""
    worker, census = _station(jobs, seed)
    loop, gaps = asyncio.get_running_loop(), random.Random(f"arrivals {seed}")
    asked: set[asyncio.Task[None]] = set()

    async def ask() -> None:
        began_s = loop.time()
        await census.visit(worker.handle(new_call(len(asked))))
        if loop.time() - began_s > PATIENCE_S:
            start()

    def start() -> None:
        task = asyncio.create_task(ask())
        asked.add(task)
        task.add_done_callback(asked.discard)

    async with running(worker):
        for at_s in poisson(jobs.arrivals_rps, 0.0, lasts_s, gaps):
            await asyncio.sleep(at_s - loop.time())
            start()
        await asyncio.sleep(lasts_s - loop.time())
        census.assert_little()
        left = inside(worker)
    await cancel_all(asked)  # after the worker: it would look for each of them in its long line
    return left


def _station(jobs: Jobs, seed: int) -> tuple[Worker, Census]:
    service = random.Random(f"service {seed}")
    worker = one_at_a_time("worker-0", lambda: jobs.draw_s(service))
    return worker, Census(lambda: inside(worker))
