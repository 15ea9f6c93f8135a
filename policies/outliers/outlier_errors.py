"""Envoy's outlier detection: ejection by failures, which a slow worker that answers never shows."""

from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt
from policies.every import Every
from policies.evidence import Evidence, lesson
from policies.outcome import Kind, Outcome
from policies.outliers.ejection import Ejector
from policies.outliers.ejection_rules import EjectionRules
from policies.outliers.success_rate import low_success
from policies.peers import Peers
from policies.policy import Gate, Lease, Rejection
from policies.pool import Pool

PEERS_TAKE = 0.95  # quantile of their attempts; an own deadline after that is the worker's fault
WINDOW_S = 60.0  # over which that is known


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlierErrors(EjectionRules, Gate):
    """Counts failures of each worker in a row, and its rate of successes over each interval.

    Names and defaults are Envoy's, but for `max_ejection_ratio` (Envoy 0.1) and the canary (Envoy has none).
    Our own expired timers count; a call's own deadline only if the attempt was older than peers take. The
    rules of ejection are the fields of `EjectionRules`; besides:

    Attributes:
        consecutive_5xx: failures in a row that eject.
        interval_s: of the success rate, and time at full weight that takes one ejection off the count.
        success_rate_stdev_factor: deviations below the mean of all rates that eject.
        success_rate_minimum_hosts: workers with enough volume, below which rates are not compared.
        success_rate_request_volume: judged attempts in the interval, below which a worker has no rate.
    """

    name: ClassVar[str] = "outlier_errors"
    meaning: ClassVar[str] = "takes out the worker that fails, as Envoy does; blind to slow answers"

    consecutive_5xx: int = 5
    interval_s: float = 10.0
    success_rate_stdev_factor: float = 1.9
    success_rate_minimum_hosts: int = 5
    success_rate_request_volume: int = 100

    _ejector: Ejector = field(default_factory=Ejector, init=False, repr=False, compare=False)
    _tallies: dict[str, "_Tally"] = field(default_factory=dict, init=False, repr=False, compare=False)
    _peers: Peers = field(default_factory=lambda: Peers(WINDOW_S), init=False, repr=False, compare=False)
    _look: Every = field(default_factory=Every, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "consecutive_5xx", at_least=1, whole=True)
        check(self, "success_rate_minimum_hosts", "success_rate_request_volume", at_least=1, whole=True)
        check(self, "interval_s", "success_rate_stdev_factor", above=0)
        self.check_ejection(self)

    @property
    def forgiven_s(self) -> float:
        return self.interval_s

    def bind(self, pool: Pool) -> None:
        self._ejector.bind(self.name, self, pool)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        tally = self._tallies.get(attempt.worker) or self._tallies.setdefault(attempt.worker, _Tally())
        if attempt.started_s < tally.since_s:
            return  # it began before the worker was ejected
        match self._judge(attempt, outcome, now):
            case Evidence.SUCCESS | Evidence.SLOW:
                tally.row = 0
                tally.successes += 1
            case Evidence.FAILURE:
                tally.row += 1
                tally.failures += 1
                if tally.row >= self.consecutive_5xx:
                    self._eject(attempt.worker, now)

    def sweep(self, now: float) -> None:
        if not self._look.is_due(now, self.interval_s):
            return
        rates = {
            worker: tally.successes / tally.judged
            for worker, tally in self._tallies.items()
            if tally.judged >= self.success_rate_request_volume
        }
        if len(rates) >= self.success_rate_minimum_hosts:
            for worker in low_success(rates, self.success_rate_stdev_factor):
                self._eject(worker, now)
        for tally in self._tallies.values():
            tally.successes = tally.failures = 0

    def weight(self, worker: str, now: float) -> float:
        return self._ejector.weight(worker, now)

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        return self._ejector.enter(attempt)

    def describe(self, worker: str, now: float) -> str:
        return self._ejector.describe(worker, now)

    def _judge(self, attempt: Attempt, outcome: Outcome, now: float) -> Evidence:
        took_s, size = attempt.age_s(now), attempt.call.max_tokens
        if outcome.answered:
            self._peers.add(attempt.worker, size, took_s, now)
        if outcome.kind is not Kind.TIMEOUT:
            return lesson(outcome).worker
        peers_take_s = self._peers.elsewhere_s(attempt.worker, size, PEERS_TAKE, now)
        return lesson(outcome, overdue=peers_take_s is not None and took_s > peers_take_s).worker

    def _eject(self, worker: str, now: float) -> None:
        if self._ejector.eject(worker, now):
            self._tallies[worker] = _Tally(since_s=now)


@dataclass(slots=True)
class _Tally:
    """Of one worker: failures in a row, and endings of this interval, of attempts since `since_s`."""

    since_s: float = -inf
    row: int = 0
    successes: int = 0
    failures: int = 0

    @property
    def judged(self) -> int:
        return self.successes + self.failures
