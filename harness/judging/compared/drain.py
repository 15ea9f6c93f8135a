"""How long what the fault left behind takes to drain by the law, and how long to look before saying never.

A plain drain empties n jobs in n / (mu - lambda). To call something unrecovered takes ten times that, and
five times an attempt's bound for each attempt that a request may make.
"""

from dataclasses import dataclass

import numpy as np

from harness.judging.case import Case

DRAINS = 10
BOUNDS = 5


@dataclass(frozen=True, slots=True)
class Drain:
    """`needed_s`: for the backlog to drain. `enough_s`: to have looked for so long proves something."""

    needed_s: float
    enough_s: float


def drain(case: Case) -> Drain | None:
    """None where no law knows the capacity, or it is below the load even without a fault."""
    law, setup = case.prediction, case.setup
    offered_rps = sum(caller.rate_rps for caller in setup.callers if caller.inference)
    spare_rps = len(setup.workers) * (law.capacity_rps or 0.0) - offered_rps
    if spare_rps <= 0:
        return None
    end_s = case.times.fault.end_s
    left = sum(float(c.under_way.at(np.array([end_s]))[0]) for c in case.cohorts if c.setup.inference)
    needed_s = left / spare_rps
    most = max((len(request.attempts) for request in case.requests), default=1)
    return Drain(needed_s, max(DRAINS * needed_s, BOUNDS * (setup.timeout_s or 0.0) * most))
