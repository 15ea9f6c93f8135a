"""How long one slow node takes to drain the slots that all requests share: a service before the gateway."""

import asyncio
import random
from math import inf

import numpy as np

from faults.slow_steps import SlowSteps
from harness.clock import run_virtual
from harness.judging.history import NoHistory
from harness.load.arrivals import poisson
from harness.serving.recorder import Recorder
from harness.serving.service import Service
from policies.least_request import LeastRequest
from policies.outcome import Outcome
from policies.policy import Call
from tests.theory.fleet import fleet
from tests.theory.queueing_parts import Census, open_loop, running
from tests.theory.row import Row, Target

TARGET = Target("T07", "Slots drained by one slow node")

NODES, SLOTS = 8, 32
WARM_UP_S = 60.0


def fast() -> list[Row]:
    """The quartiles quoted for s = 10 are 0.44 medians apart, so the median of 12 deviates by 12 %."""
    return [_median_row(0.6, 10.0, seeds=12, ratio=0.4), _never_row(seeds=3)]


def full() -> list[Row]:
    return [_median_row(0.6, factor, seeds=60, ratio=0.2) for factor in (3.0, 10.0)] + [_never_row(seeds=20)]


def spread_s(rho: float, factor: float) -> float:
    """The law, in service times: free slots over the rate at which the slow node takes them."""
    if rho * factor <= 1:
        return inf
    return (SLOTS - (NODES - 1) * rho / (1 - rho)) / (rho - 1 / factor)


def _median_row(rho: float, factor: float, seeds: int, ratio: float) -> Row:
    got_s = [run_virtual(_drain(rho, factor, seed, 10 * spread_s(rho, factor))) for seed in range(seeds)]
    what = f"N 8, C 32, rho {rho}, s {factor:g}: median T_spread/S, {seeds} seeds"
    return TARGET.relative(what, spread_s(rho, factor), float(np.median(got_s)), ratio)


def _never_row(seeds: int) -> Row:
    """Far enough below rho * s = 1 that chance does not fill the slots either."""
    rho, factor, watched_s = 0.3, 2.0, 300.0
    assert spread_s(rho, factor) == inf
    got_s = [run_virtual(_drain(rho, factor, seed, watched_s)) for seed in range(seeds)]
    what = f"rho {rho}, s {factor:g}, rho*s < 1: runs of {seeds} whose slots ran out within {watched_s:g} S"
    return TARGET.absolute(what, 0.0, sum(at_s < inf for at_s in got_s), 0.0)


async def _drain(rho: float, factor: float, seed: int, watched_s: float) -> float:
    """Seconds from the fault to the moment at which all slots are taken, infinite if that is not seen."""
    name = f"T07 {rho} {factor} {seed}"
    nodes = fleet(NODES, LeastRequest(choices=1), name)
    full: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    faulted = False

    async def watched(call: Call) -> Outcome:
        if faulted and service.in_use == SLOTS and not full.done():
            full.set_result(asyncio.get_running_loop().time() - WARM_UP_S)
        return await nodes.gateway.handle(call)

    service = Service("service", SLOTS, watched, Recorder(NoHistory()))
    census = Census(lambda: service.waiting + service.in_use)
    arrivals_s = poisson(rho * NODES, 0.0, WARM_UP_S + watched_s, random.Random(f"{name} arrivals"))
    sending = asyncio.create_task(open_loop(arrivals_s, service.handle, census))
    async with running(*nodes.workers):
        await asyncio.sleep(WARM_UP_S)
        faulted = True
        nodes.workers[0].inject(SlowSteps(factor=factor), lease_s=10 * watched_s)
        await asyncio.wait({full}, timeout=watched_s)
        for each in (census, *nodes.censuses):
            each.assert_little()
        sending.cancel()
        await asyncio.wait({sending})
    return full.result() if full.done() else inf
