"""A ramp of load past the allocation: shares that even out CPU fill the replicas that cannot have more.

Weighted round robin, the baseline, is the study's own: a weight is answers over CPU used, both smoothed over
seconds. Against it our hot-cold picker and our least-request picker, which knows what its own client
has in flight.
"""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from harness.judging.percentiles import Floats
from policies.call import Call
from policies.candidates import Candidate, Candidates
from policies.every import Every
from policies.pickers.hcl import Hcl
from policies.pickers.least_request import LeastRequest
from policies.policy import Picker
from policies.pool import Pool
from tests.theory.allocated_fleet import TIMEOUT_S, MakePicker, Ramp, Replica
from tests.theory.row import Row, Target

TARGET = Target("T19", "Prequal, NSDI'24, load ramp")
OWN = Target("T19", f"{TARGET.source}; with a picker of the study's own")

LOADS = tuple(0.75 * (10 / 9) ** step for step in range(9))  # to 1.74 of the allocation
REFRESH_S = 1.0
BELOW_S = 0.99 * TIMEOUT_S
KEPT = 0.8  # of the smoothed figures, at every refresh


@dataclass(slots=True)
class Share:
    """A replica as a client of round robin sees it."""

    replica: Replica
    weight: float = 1.0
    credit: float = 0.0
    answers: float = 0.0  # these two smoothed
    used_s: float = 0.0
    seen: tuple[int, float] = (0, 0.0)

    def refresh(self) -> None:
        """Take in what happened since the last time. Without any use the weight stays."""
        answers, used_s = self.replica.answers, self.replica.used_s()
        self.answers = KEPT * self.answers + answers - self.seen[0]
        self.used_s = KEPT * self.used_s + used_s - self.seen[1]
        self.seen = answers, used_s
        if self.answers and self.used_s:
            self.weight = self.answers / self.used_s


class EvenUtilisation(Picker):
    """Weighted round robin, smooth: every replica saves its weight, and who has saved most is next."""

    name: ClassVar[str] = "even_utilisation"

    def __init__(self, replicas: dict[str, Replica]) -> None:
        self._shares = {name: Share(replica) for name, replica in replicas.items()}
        self._refresh = Every()

    def bind(self, pool: Pool) -> None:
        """Clients that all begin with the same replica would go round in step."""
        rng = pool.rng(self.name)
        for share in self._shares.values():
            share.credit = rng.random()

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        shares = self._shares
        if self._refresh.is_due(asyncio.get_running_loop().time(), REFRESH_S):
            for share in shares.values():
                share.refresh()
        for share in shares.values():
            share.credit += share.weight
        chosen = max(shares, key=lambda name: shares[name].credit)
        shares[chosen].credit -= sum(share.weight for share in shares.values())
        return candidates.look(chosen)


EVEN, HOT_COLD, LEAST = "even utilisation", "hot-cold", "least in flight"
RULES: dict[str, MakePicker] = {
    EVEN: EvenUtilisation,
    HOT_COLD: lambda _replicas: Hcl(),
    LEAST: lambda replicas: LeastRequest(choices=len(replicas)),
}


def fast() -> list[Row]:
    """Two loads, well below and well above the allocation, of a fleet too small for the ramp's figures."""
    return _rows(Ramp(clients=5, replicas=8, antagonised=2, loads=(0.75, 1.4), step_s=30.0))


def full() -> list[Row]:
    """Half the clients and replicas of the source, and a quarter of the replicas with antagonists."""
    ramp = Ramp(clients=50, replicas=50, antagonised=12, loads=LOADS, step_s=30.0)
    order = f"{LEAST}: p99.9 below {EVEN}'s at every step"
    figures = "100 clients, 100 replicas: p99.9 of each rule in ms"
    return [
        *_rows(ramp),
        TARGET.finding(order, "not at every step; a client knows of its own calls only"),
        TARGET.finding(figures, "its testbed and loads are not public; here it is the direction"),
    ]


def _rows(ramp: Ramp) -> list[Row]:
    p999_s = {rule: [_p999_s(took_s) for took_s in ramp.play(make)] for rule, make in RULES.items()}
    even_s = p999_s.pop(EVEN)
    first_above = next(step for step, load in enumerate(ramp.loads) if load > 1)
    last = min(first_above + 1, len(ramp.loads) - 1)
    name = f"{ramp.clients} clients, {ramp.replicas} replicas"
    rows = [
        OWN.at_most(f"{name}, {EVEN}: p99.9 at {ramp.loads[0]:.2f} of the load, s", TIMEOUT_S / 2, even_s[0]),
        OWN.at_least(
            f"{name}, {EVEN}: p99.9 at {ramp.loads[last]:.2f} of the load, s", TIMEOUT_S, even_s[last]
        ),
    ]
    for rule, each_s in p999_s.items():
        what = f"{name}, {rule}: largest p99.9 up to {ramp.loads[-1]:.2f}, s"
        rows.append(TARGET.at_most(what, BELOW_S, max(each_s)))
    below = all(mine_s < theirs_s for mine_s, theirs_s in zip(p999_s[HOT_COLD], even_s, strict=True))
    return [*rows, TARGET.true(f"{name}, {HOT_COLD}: p99.9 below {EVEN}'s at every step", holds=below)]


def _p999_s(took_s: Floats) -> float:
    return float(np.quantile(took_s, 0.999))
