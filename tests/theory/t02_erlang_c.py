"""One queue before c servers: a service with c slots. Erlang's C is the share of those who wait."""

import asyncio
from array import array
from math import factorial

import numpy as np

from harness.clock import run_virtual
from harness.judging.history import AnyRecord, NoHistory, Visit
from harness.serving.recorder import Recorder
from harness.serving.service import Service
from policies.call import Call
from policies.outcome import OK, Outcome
from tests.theory.draws import Draws, even_draws, exponential
from tests.theory.queueing_parts import Census, open_loop
from tests.theory.recursions import kiefer_wolfowitz, same_path
from tests.theory.row import Row, Target

TARGET = Target("T02", "Erlang C")

# (slots, rho): P(wait), and the standard deviation of the share that waits and of the mean wait, as ratios,
# in 40 runs of the recursion with 20,000 jobs.
CASES = {
    (4, 0.8): (0.5964, 0.024, 0.104),
    (8, 0.5): (0.0590, 0.077, 0.136),
    (8, 0.8): (0.4576, 0.038, 0.131),
    (8, 0.9): (0.7015, 0.031, 0.186),
    (32, 0.9): (0.4582, 0.077, 0.247),
}

LOCKSTEP = (
    "a step ends for its whole batch at once, so sequences in one worker have no service times of their own;"
    " the servers are the slots of a service"
)


class Waits(NoHistory):
    """Keeps how long each request waited for its slot, by the service's own books, by number."""

    def __init__(self, requests: int) -> None:
        super().__init__()
        self.waits_s = array("d", bytes(8 * requests))

    def append(self, record: AnyRecord) -> None:
        if isinstance(record, Visit) and record.granted_s is not None:
            self.waits_s[int(record.request)] = record.granted_s - record.arrived_s


def fast() -> list[Row]:
    return [row for slots, rho in ((4, 0.8), (8, 0.8)) for row in _rows(slots, rho, 15_000, 0.0)]


def full() -> list[Row]:
    jobs = {
        (4, 0.8): 400_000,
        (8, 0.5): 1_000_000,
        (8, 0.8): 500_000,
        (8, 0.9): 500_000,
        (32, 0.9): 1_200_000,
    }
    rows = [row for (slots, rho), count in jobs.items() for row in _rows(slots, rho, count, 0.02)]
    return [*rows, TARGET.finding("c servers as the batch slots of one worker", LOCKSTEP)]


def _rows(slots: int, rho: float, jobs: int, ratio: float) -> list[Row]:
    """The mean wait varies too much for two percent; it has four standard deviations (sd)."""
    quoted, *chances = CASES[slots, rho]
    of_share, of_wait = (4 * chance * (20_000 / jobs) ** 0.5 for chance in chances)
    gaps_s = exponential(even_draws(jobs, f"T02 gaps {slots} {rho}"), 1 / (slots * rho))
    service_s = exponential(even_draws(jobs, f"T02 service {slots} {rho}"))
    waits_s = run_virtual(_serve(slots, gaps_s, service_s))
    theirs_s = kiefer_wolfowitz(gaps_s, service_s, slots)
    name = f"c {slots}, rho {rho}"
    waited, exact = float((waits_s > 0).mean()), erlang_c(slots, rho)
    wait_s = exact / (slots * (1 - rho))
    return [
        TARGET.absolute(f"{name}: the formula gives the quoted P(wait)", quoted, exact, 0.00005),
        same_path(TARGET, f"{name}: waits", waits_s, theirs_s, gaps_s.sum()),
        TARGET.relative(f"{name}: P(wait), {jobs:,} jobs", exact, waited, ratio or of_share),
        TARGET.absolute(f"{name}: Wq/S", wait_s, waits_s.mean(), of_wait * wait_s, f"±{of_wait:.1%}, 4 sd"),
    ]


def erlang_c(servers: int, rho: float) -> float:
    """Probability that all `servers` are busy, each a share `rho` of the time."""
    load = servers * rho
    all_busy = load**servers / factorial(servers) / (1 - rho)
    return all_busy / (sum(load**k / factorial(k) for k in range(servers)) + all_busy)


async def _serve(slots: int, gaps_s: Draws, service_s: Draws) -> Draws:
    times_s = iter(service_s.tolist())

    async def work(_call: Call) -> Outcome:
        await asyncio.sleep(next(times_s))
        return OK

    history = Waits(len(gaps_s))
    service = Service("service", slots, work, Recorder(history))
    census = Census(lambda: service.waiting + service.in_use)
    await open_loop(gaps_s.cumsum().tolist(), service.handle, census)
    return np.array(history.waits_s)
