"""A cap on each worker's attempts in flight that follows what they come to: the enforcement.

How a cap moves is its `Rule`: numbers in, a number out. This file counts, admits, and tells the rule what the
endings teach by the one table, and once a second what attempts still in flight must come to at least.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt
from policies.every import Every
from policies.evidence import Sample, Signal, lesson
from policies.outcome import Outcome
from policies.policy import Gate, Lease, Rejection

LOOK_EVERY_S = 1.0  # at attempts still in flight


class Rule:
    """How one worker's limit moves. What is `observed` the policy decides: seconds, or times its target.

    Attributes:
        limit: attempts in flight; whole ones count.
        epoch: rises where a baseline is measured afresh; attempts admitted before say nothing about it.
    """

    limit: float
    epoch: int = 0

    def sample(self, observed: float, in_flight: int) -> None:
        """An attempt came to this, admitted with so many in flight, itself included."""

    def at_least(self, observed: float, in_flight: int) -> None:
        """An attempt still in flight will come to this or more. May lower the limit, never raise it."""

    def drop(self, at_least: float | None, in_flight: int) -> None:
        """An attempt failed or ran out of time, after this long if that says anything."""

    def decrease(self) -> None:
        """The worker says that it is busy."""

    def is_too_much(self, observed: float) -> bool:
        """Whether it is more than a healthy worker comes to."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveLimit(Gate):
    """A limit for each worker, which always admits one attempt where there is none.

    Attributes:
        initial_limit: attempts in flight on a worker at first.
        max_limit: the most that it may rise to.
    """

    name: ClassVar[str] = "adaptive_limit"

    initial_limit: int = 20
    max_limit: int = 200

    _workers: dict[str, "_Worker"] = field(default_factory=dict, init=False, repr=False, compare=False)
    _look: Every = field(default_factory=Every, init=False, repr=False, compare=False)

    def rule(self) -> Rule:
        """A fresh one, for a worker. This one never moves."""
        rule = Rule()
        rule.limit = self.initial_limit
        return rule

    def observed(self, attempt: Attempt, now: float) -> float | None:
        """What an attempt that ends now came to; None if it does not say."""
        return None

    def observed_at_least(self, attempt: Attempt, now: float) -> float | None:
        """What an attempt that has not ended must come to; None if it says nothing new."""
        return None

    def limit(self, worker: str) -> int:
        """Attempts that this worker may hold now."""
        known = self._workers.get(worker)
        return self.initial_limit if known is None else known.limit

    def check_limits(self, lowest: str) -> None:
        """Raise ValueError unless 1 <= `lowest` <= initial_limit <= max_limit."""
        check(self, lowest, at_least=1, whole=True)
        check(self, "max_limit", at_least=getattr(self, lowest), whole=True)
        check(self, "initial_limit", at_least=getattr(self, lowest), at_most=self.max_limit, whole=True)

    def sweep(self, now: float) -> None:
        if self._look.is_due(now, LOOK_EVERY_S):
            for worker in self._workers.values():
                worker.age(now)

    def weight(self, worker: str, now: float) -> float:
        known = self._workers.get(worker)
        return 0.0 if known is not None and known.full else 1.0

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        worker = self._workers.get(attempt.worker)
        if worker is None:
            worker = self._workers[attempt.worker] = _Worker(self, self.rule())
        if worker.full:
            held, limit = len(worker.leases), worker.limit
            return Rejection(f"{attempt.worker} already holds {held} of our attempts, its limit is {limit}")
        lease = _Lease(worker, len(worker.leases) + 1, worker.rule.epoch)
        worker.leases[lease] = attempt
        return lease

    def describe(self, worker: str, now: float) -> str:
        known = self._workers.get(worker)
        return f"{self.name} full at {known.limit}" if known is not None and known.full else ""


@dataclass(slots=True, eq=False)
class _Worker:
    """One worker's rule and the attempts that it holds, the oldest first."""

    policy: AdaptiveLimit
    rule: Rule
    leases: dict["_Lease", Attempt] = field(default_factory=dict)

    @property
    def limit(self) -> int:
        # A limit below one would never let anything through to show that it may rise (OmniRoute#10111).
        return max(1, int(self.rule.limit))

    @property
    def full(self) -> bool:
        return len(self.leases) >= self.limit

    def age(self, now: float) -> None:
        """The attempt in flight that is worst off counts once a second."""
        bounds = (self.policy.observed_at_least(attempt, now) for attempt in self.leases.values())
        worst = max((bound for bound in bounds if bound is not None), default=None)
        if worst is not None:
            self.rule.at_least(worst, len(self.leases))

    def close(self, lease: "_Lease", attempt: Attempt, outcome: Outcome, now: float) -> None:
        del self.leases[lease]
        rule = self.rule
        observed = self.policy.observed(attempt, now)
        at_least = None if outcome.answered else self.policy.observed_at_least(attempt, now)
        overdue = any(rule.is_too_much(each) for each in (observed, at_least) if each is not None)
        learned = lesson(outcome, overdue=overdue)
        match learned.limit:
            case Signal.SAMPLE if observed is not None and lease.epoch == rule.epoch:
                rule.sample(observed, lease.in_flight)
            case Signal.DROP:
                rule.drop(at_least if learned.latency is Sample.AT_LEAST else None, lease.in_flight)
            case Signal.DECREASE:
                rule.decrease()


@dataclass(slots=True, eq=False)
class _Lease(Lease):
    """`in_flight`: with this one, when it was admitted. Samples of another epoch say nothing."""

    worker: _Worker
    in_flight: int
    epoch: int

    def close(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self.worker.close(self, attempt, outcome, now)
