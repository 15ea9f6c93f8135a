"""What an answer of a worker costs in seconds, pessimistically: quick to rise, slow to fall.

The rule of Finagle's and Linkerd's "peak EWMA" balancers, but for where an idle worker's cost goes to: theirs
falls towards 0, so that a slow worker looks better than any healthy one a while after it was last used.
"""

from math import exp
from typing import NamedTuple

from policies.every import Every
from policies.ranking import Ranking

RANK_EVERY_S = 1.0
UNKNOWN_S = 1.0  # the cost of everybody before anybody has answered; only comparisons matter


class _Cost(NamedTuple):
    seconds: float
    at_s: float


class PeakCosts:
    """The cost of each worker. `tau_s`: an old cost has 1/e of its weight after this long."""

    def __init__(self, tau_s: float) -> None:
        self._tau_s = tau_s
        self._costs: dict[str, _Cost] = {}
        self._ranking = Ranking({})
        self._rank = Every()
        self._latest_s = UNKNOWN_S  # sample of anybody

    def learn(self, worker: str, seconds: float, now: float) -> None:
        """A sample: one above the cost replaces it; one below draws it down, the more the older it is.

        cost = sample if sample > cost, else cost * w + sample * (1 - w) with w = exp(-age / tau)
        """
        known = self._costs.get(worker)
        if known is None or seconds > known.seconds:
            cost_s = seconds
        else:
            old = self._left(known, now)
            cost_s = known.seconds * old + seconds * (1 - old)
        self._costs[worker] = _Cost(cost_s, now)
        self._latest_s = seconds

    def learn_at_least(self, worker: str, seconds: float, now: float) -> None:
        """A sample would have been longer: it counts if that is above the cost, and else says nothing."""
        if seconds > self.cost_s(worker, now):
            self.learn(worker, seconds, now)

    def cost_s(self, worker: str, now: float) -> float:
        """The cost now. Without news it tends to what is typical of peers, where an unknown one begins."""
        known = self._costs.get(worker)
        typical_s = self._typical_s(worker, now)
        if known is None:
            return self._latest_s if typical_s is None else typical_s
        if typical_s is None:
            return known.seconds
        return typical_s + (known.seconds - typical_s) * self._left(known, now)

    def _typical_s(self, worker: str, now: float) -> float | None:
        """The median of the other workers' costs when they were last ranked, which costs their number."""
        if self._rank.is_due(now, RANK_EVERY_S):
            self._ranking = Ranking({other: cost.seconds for other, cost in self._costs.items()})
        return self._ranking.median_without(worker)

    def _left(self, known: _Cost, now: float) -> float:
        return exp(-max(0.0, now - known.at_s) / self._tau_s)
