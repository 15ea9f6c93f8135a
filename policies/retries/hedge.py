"""Another attempt at another worker beside one that takes too long; the first content token wins.

Sources: Dean and Barroso, "The Tail at Scale" (delay at a high quantile); gRPC proposal A6 (hedging policy).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_switch
from policies.call import Attempt, Call
from policies.outcome import Outcome
from policies.policy import Driver, Next, Policy
from policies.pool import Pool
from policies.retries.hedge_delay import HedgeDelay
from policies.retries.race import Race, Racer
from policies.retries.retry_budget import MOST_RATIO, RetryBudget
from policies.retries.utilization import Utilization


@dataclass(frozen=True, slots=True, kw_only=True)
class Hedge(Driver):
    """Fires the next attempt after the delay, or at once when one failed; each at a worker of its own.

    Attributes:
        delay_s: before each hedge; None takes the `quantile` of the peers of the first attempt's worker.
        min_samples: attempts of about that size seen at those peers, before which none is hedged by time.
        max_hedges: of one call.
        budget_ratio: hedges for each call, which brings a `retry_budget` without free ones; None brings none.
        max_utilization_ratio: of the pool's places; above it nothing is hedged, which would only add load.
        worker_capacity: attempts that a worker serves at once, the places in it.
        stacked: further in than another driver on purpose, though their attempts multiply.
    """

    name: ClassVar[str] = "hedge"
    meaning: ClassVar[str] = "sends a late call to a second worker as well; the first content token wins"

    delay_s: float | None = None
    quantile: float = 0.95
    min_samples: int = 20
    max_hedges: int = 1
    budget_ratio: float | None = 0.05
    max_utilization_ratio: float = 0.7
    worker_capacity: int = 8
    stacked: bool = False

    _used: Utilization = field(init=False, repr=False, compare=False)
    _delay: HedgeDelay = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "quantile", above=0, at_most=1)
        check(self, "min_samples", "max_hedges", "worker_capacity", at_least=1, whole=True)
        check(self, "max_utilization_ratio", at_least=0)
        check_switch(self, "stacked")
        if self.delay_s is not None:
            check(self, "delay_s", at_least=0)
        if self.budget_ratio is not None:
            check(self, "budget_ratio", at_least=0, at_most=MOST_RATIO)
        object.__setattr__(self, "_delay", HedgeDelay(self.quantile, self.min_samples))
        object.__setattr__(self, "_used", Utilization(self.worker_capacity))

    @property
    def most_attempts(self) -> int:
        return 1 + self.max_hedges

    def brings(self) -> Sequence[Policy]:
        return () if self.budget_ratio is None else (RetryBudget(ratio=self.budget_ratio, min_per_sec=0.0),)

    def bind(self, pool: Pool) -> None:
        self._used.bind(pool)

    async def run(self, call: Call, next: Next) -> Outcome:
        return await Race(call, next, self.max_hedges, self._may_hedge).run(self.delay_s)

    def attempt_started(self, attempt: Attempt) -> None:
        self._used.started(attempt.worker)
        racer = attempt.call.sink
        if self.delay_s is None and isinstance(racer, Racer):
            after_s = self._delay.after_s(attempt, attempt.started_s)
            if after_s is not None:
                racer.race.hedge_after(after_s)

    def first_token(self, attempt: Attempt) -> None:
        if self.delay_s is None and attempt.first_token_s is not None:
            self._delay.learn(attempt, attempt.first_token_s)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self._used.ended(attempt.worker)

    def _may_hedge(self, call: Call, now: float) -> bool:
        return self._used.ratio <= self.max_utilization_ratio and call.budget.take(now)
