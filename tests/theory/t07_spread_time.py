"""How long one slow node takes to drain the slots that all requests share: a service before the gateway."""

import asyncio
import random
from dataclasses import dataclass
from math import inf

import numpy as np

from faults.engine.slow_steps import SlowSteps
from harness.clock import run_virtual
from harness.judging.history import NoHistory
from harness.load.arrivals import poisson
from harness.serving.recorder import Recorder
from harness.serving.service import Service
from policies.call import Call
from policies.outcome import Outcome
from policies.pickers.least_request import LeastRequest
from tests.theory.fleet import fleet
from tests.theory.queueing_parts import Census, inside, open_loop, running
from tests.theory.row import Row, Target

TARGET = Target("T07", "Slots drained by one slow node")

NODES, SLOTS = 8, 32
WARM_UP_S = 60.0


@dataclass(slots=True)
class Drain:
    """Seconds after the fault, infinite if not seen.

    Attributes:
        full_s: until no slot was free.
        held_s: until the slow node held all slots but those that the healthy nodes need.
    """

    full_s: float = inf
    held_s: float = inf


def fast() -> list[Row]:
    """The quartiles quoted for s = 10 are 0.44 medians apart, so the median of 12 deviates by 12 %."""
    return [*_rows(0.6, 10.0, seeds=12, ratio=0.4), _never_row(seeds=3)]


def full() -> list[Row]:
    spreads = [row for factor in (3.0, 10.0) for row in _rows(0.6, factor, seeds=60, ratio=0.2)]
    return [*spreads, _never_row(seeds=20)]


def healthy_need(rho: float) -> float:
    """Slots that the healthy nodes hold, each an M/M/1 queue."""
    return (NODES - 1) * rho / (1 - rho)


def healthy_deviation(rho: float) -> float:
    """Standard deviation of the slots that they hold; they are independent."""
    return float(np.sqrt((NODES - 1) * rho)) / (1 - rho)


def spread_s(rho: float, factor: float, above: float = 0.0) -> float:
    """The law, in service times: free slots over the rate at which the slow node takes them.

    `above`: standard deviations by which the healthy nodes happen to hold more than they need.
    """
    free = SLOTS - healthy_need(rho) - above * healthy_deviation(rho)
    return free / (rho - 1 / factor) if rho * factor > 1 else inf


def _rows(rho: float, factor: float, seeds: int, ratio: float) -> list[Row]:
    law_s, early_s = spread_s(rho, factor), spread_s(rho, factor, above=2)
    drains = [run_virtual(_drain(rho, factor, seed, 10 * law_s)) for seed in range(seeds)]
    name = f"N 8, C 32, rho {rho}, s {factor:g}, median of {seeds}"
    held_s = float(np.median([drain.held_s for drain in drains]))
    full_s = float(np.median([drain.full_s for drain in drains]))
    return [
        TARGET.relative(f"{name}: T_spread/S, all but what healthy nodes need", law_s, held_s, ratio),
        TARGET.between(
            f"{name}: no slot free, sooner by chance (healthy nodes 2 sd up)", law_s, full_s, early_s, law_s
        ),
    ]


def _never_row(seeds: int) -> Row:
    """Far enough below rho * s = 1 that chance does not fill the slots either."""
    rho, factor, watched_s = 0.3, 2.0, 300.0
    assert spread_s(rho, factor) == inf
    drains = [run_virtual(_drain(rho, factor, seed, watched_s)) for seed in range(seeds)]
    what = f"rho {rho}, s {factor:g}, rho*s < 1: runs of {seeds} without a free slot within {watched_s:g} S"
    return TARGET.absolute(what, 0.0, sum(drain.full_s < inf for drain in drains), 0.0)


async def _drain(rho: float, factor: float, seed: int, watched_s: float) -> Drain:
    """One run with a fault after the warm-up, watched until both times are known or `watched_s` are over."""
    name = f"T07 {rho} {factor} {seed}"
    nodes = fleet(NODES, LeastRequest(choices=1), name)
    drain, held = Drain(), asyncio.Event()

    async def watched(call: Call) -> Outcome:
        after_s = asyncio.get_running_loop().time() - WARM_UP_S
        if after_s > 0 and service.in_use == SLOTS:
            drain.full_s = min(drain.full_s, after_s)
        if after_s > 0 and inside(nodes.workers[0]) >= SLOTS - healthy_need(rho):
            drain.held_s = min(drain.held_s, after_s)
            held.set()
        return await nodes.gateway.handle(call)

    service = Service("service", SLOTS, watched, Recorder(NoHistory()))
    census = Census(lambda: service.waiting + service.in_use)
    arrivals_s = poisson(rho * NODES, 0.0, WARM_UP_S + watched_s, random.Random(f"{name} arrivals"))
    sending = asyncio.create_task(open_loop(arrivals_s, service.handle, census))
    async with running(*nodes.workers):
        await asyncio.sleep(WARM_UP_S)
        nodes.workers[0].inject(SlowSteps(factor=factor), lease_s=10 * watched_s)
        await asyncio.wait({asyncio.create_task(held.wait())}, timeout=watched_s)
        for each in (census, *nodes.censuses):
            each.assert_little()
        sending.cancel()
        await asyncio.wait({sending})
    return drain
