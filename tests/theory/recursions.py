"""The textbook recursions of queues: what must come out of given draws, job by job, without an event loop."""

from heapq import heapify, heapreplace

import numpy as np

from tests.theory.draws import Draws
from tests.theory.row import Row, Target

SAME = 1e-12  # ratio: what is left of an equality after adding floats up


def lindley(gaps_s: Draws, service_s: Draws) -> Draws:
    """Sojourn time of each job in a queue with one server, first come first served (Lindley 1952)."""
    steps = np.concatenate(([0.0], service_s[:-1] - gaps_s[1:])).cumsum()
    return steps - np.minimum.accumulate(steps) + service_s


def kiefer_wolfowitz(gaps_s: Draws, service_s: Draws, servers: int) -> Draws:
    """Waiting time of each job in one queue before `servers` (Kiefer and Wolfowitz 1955, as a heap)."""
    free_s = [0.0] * servers
    heapify(free_s)
    waits_s = []
    for arrived_s, takes_s in zip(gaps_s.cumsum(), service_s, strict=True):
        began_s = max(free_s[0], arrived_s)
        waits_s.append(began_s - arrived_s)
        heapreplace(free_s, began_s + takes_s)
    return np.array(waits_s)


def batch_server(arrivals_s: Draws, each_s: float, fixed_s: float) -> tuple[Draws, list[int]]:
    """Sojourn time of each job, and batch sizes, where an idle server takes all that wait.

    A batch of b takes `each_s` * b + `fixed_s`.
    """
    sojourns_s, sizes = np.empty_like(arrivals_s), []
    first, free_s = 0, 0.0
    while first < len(arrivals_s):
        began_s = max(free_s, arrivals_s[first])
        after = int(np.searchsorted(arrivals_s, began_s, side="right"))
        free_s = began_s + each_s * (after - first) + fixed_s
        sojourns_s[first:after] = free_s - arrivals_s[first:after]
        sizes.append(after - first)
        first = after
    return sojourns_s, sizes


def same_path(target: Target, name: str, ours_s: Draws, theirs_s: Draws, clock_s: float) -> Row:
    """Every single time is what the recursion gives for the same draws, within the rounding of `clock_s`."""
    assert len(ours_s) == len(theirs_s), (len(ours_s), len(theirs_s))
    apart = float(np.abs(ours_s - theirs_s).max() / clock_s)
    what = f"{name}: furthest of {len(ours_s):,} from the recursion, as a ratio of the clock"
    return target.absolute(what, 0.0, apart, SAME)
