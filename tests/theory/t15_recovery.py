"""How long an overload outlasts its cause: until its backlog, drained at mu - lambda, fits into a timeout."""

import asyncio
import random
from statistics import fmean

from harness.clock import run_virtual
from harness.load.arrivals import poisson
from policies.call import Call
from policies.outcome import Outcome
from tests.theory.overload import CAPACITY_RPS, TIMEOUT_S, Overload, play
from tests.theory.queueing_parts import Census, inside, one_at_a_time, open_loop, running
from tests.theory.row import Row, Target

TARGET = Target("T15", "recovery-time law")
KEPT = Target("T15", f"{TARGET.source}; with a link of the study's own that keeps abandoned work")

CASES = {80.0: 70.0, 60.0: 30.0}  # watched for so long after the fault, by arrivals a second
LEFT_RATIO, FAULT_S = 0.2, 10.0


def fast() -> list[Row]:
    """Twice the tolerance: for these few runs it is three standard deviations."""
    return [_recovery_row(60.0, runs=8, ratio=0.2), _drain_row(600, 40.0, runs=6, ratio=0.1)]


def full() -> list[Row]:
    recoveries = [_recovery_row(arrivals_rps, runs=40, ratio=0.1) for arrivals_rps in CASES]
    drains = [_drain_row(jobs, rps, runs=40, ratio=0.1) for jobs, rps in ((400, 80.0), (1000, 50.0))]
    return [*recoveries, *drains]


def law_s(arrivals_rps: float) -> float:
    """Seconds from the end of the fault until a request that is sent then is answered in time."""
    backlog = (arrivals_rps - LEFT_RATIO * CAPACITY_RPS) * FAULT_S
    return (backlog - CAPACITY_RPS * TIMEOUT_S) / (CAPACITY_RPS - arrivals_rps)


def _recovery_row(arrivals_rps: float, runs: int, ratio: float) -> Row:
    overload = Overload(
        arrivals_rps=arrivals_rps, left_ratio=LEFT_RATIO, fault_s=FAULT_S, after_s=CASES[arrivals_rps]
    )
    healed_s = overload.healed_s
    took_s = fmean(play(overload, seed).first_answered_s(healed_s) - healed_s for seed in range(runs))
    what = f"lambda = {arrivals_rps:g}/s, {LEFT_RATIO:g} mu for {FAULT_S:g} s, no retry: recovery, s"
    return KEPT.relative(what, law_s(arrivals_rps), took_s, ratio)


def _drain_row(jobs: int, arrivals_rps: float, runs: int, ratio: float) -> Row:
    took_s = [run_virtual(_drain_s(jobs, arrivals_rps, seed)) for seed in range(runs)]
    what = f"{jobs} jobs at lambda = {arrivals_rps:g}/s: until empty, s"
    return TARGET.relative(what, jobs / (CAPACITY_RPS - arrivals_rps), fmean(took_s), ratio)


async def _drain_s(jobs: int, arrivals_rps: float, seed: int) -> float:
    """When a worker that starts with `jobs` in line is first empty."""
    loop = asyncio.get_running_loop()
    service = random.Random(f"service {seed}")
    worker = one_at_a_time("worker-0", lambda: service.expovariate(CAPACITY_RPS))
    census = Census(lambda: inside(worker))
    empty_s: list[float] = []

    async def handle(call: Call) -> Outcome:
        outcome = await worker.handle(call)
        if not inside(worker):
            empty_s.append(loop.time())
        return outcome

    until_s = 3 * jobs / (CAPACITY_RPS - arrivals_rps)
    later_s = poisson(arrivals_rps, 0.0, until_s, random.Random(f"arrivals {seed}"))
    async with running(worker):
        await open_loop([0.0] * jobs + later_s, handle, census)
    return empty_s[0]
