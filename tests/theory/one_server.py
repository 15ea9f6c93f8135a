"""A queue with one server: a worker with one batch slot and an unbounded queue."""

from dataclasses import dataclass

import numpy as np

from harness.clock import run_virtual
from tests.theory.draws import Draws
from tests.theory.queueing_parts import Census, inside, one_at_a_time, open_loop, running
from tests.theory.recursions import lindley, same_path
from tests.theory.row import Row, Target


@dataclass(frozen=True, slots=True)
class Run:
    """What one run gave. `mean_inside` is L, seen from outside the worker."""

    gaps_s: Draws
    service_s: Draws
    sojourns_s: Draws
    mean_inside: float

    def same_path(self, target: Target, name: str) -> Row:
        """Every single sojourn is what the recursion gives for the same draws."""
        theirs_s = lindley(self.gaps_s, self.service_s)
        return same_path(target, f"{name}: sojourns", self.sojourns_s, theirs_s, self.gaps_s.sum())


def serve(gaps_s: Draws, service_s: Draws) -> Run:
    """Send one job after each gap; the worker takes `service_s` for them, in order. Asserts Little's law."""
    return run_virtual(_serve(gaps_s, service_s))


async def _serve(gaps_s: Draws, service_s: Draws) -> Run:
    times_s = iter(service_s.tolist())
    worker = one_at_a_time("worker-0", lambda: next(times_s))
    census = Census(lambda: inside(worker))
    async with running(worker):
        await open_loop(gaps_s.cumsum().tolist(), worker.handle, census)
    return Run(gaps_s, service_s, np.array(census.sojourns_s), census.mean_inside())
