"""A circuit breaker over a sliding window that knows slow calls, also before they end."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_switch
from policies.breakers.circuit import Circuit, CircuitRules, Phase
from policies.breakers.slow_bounds import SlowBounds
from policies.breakers.slow_watch import SlowWatch
from policies.call import Attempt
from policies.evidence import Evidence, lesson
from policies.outcome import Outcome
from policies.policy import Gate, Lease, Rejection
from policies.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerWindow(CircuitRules, Gate):
    """One circuit per worker. Its rules are the fields of `CircuitRules`; besides:

    Attributes:
        slow_ttft_s, slow_tpot_s: bounds past which an attempt is slow; the second is a mean
            per output token. Infinity switches one off.
        count_in_flight: attempts past a bound count as slow before they end.
        half_open_lease_s: a probe that is out longer than this no longer keeps the next one back.
    """

    name: ClassVar[str] = "breaker_window"
    meaning: ClassVar[str] = (
        "shuts a worker out by its share of failed and slow attempts, those in flight too"
    )

    slow_ttft_s: float = 2.0
    slow_tpot_s: float = 0.25
    count_in_flight: bool = True
    half_open_lease_s: float = 10.0

    _rng: random.Random = field(
        default_factory=lambda: random.Random(0), init=False, repr=False, compare=False
    )
    _guards: dict[str, "_Guard"] = field(default_factory=dict, init=False, repr=False, compare=False)
    _watch: SlowWatch["_Lease"] = field(default_factory=SlowWatch, init=False, repr=False, compare=False)
    _suspects: dict["_Guard", None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "min_calls", "half_open_permits", at_least=1, whole=True)
        check(self, "failure_ratio", "slow_ratio", above=0, at_most=1)
        check(self, "jitter_ratio", at_least=0, at_most=1)
        check(self, "window_s", "slow_ttft_s", "slow_tpot_s", "half_open_lease_s", above=0)
        check(self, "max_open_s", above=0)
        check(self, "open_s", above=0, at_most=self.max_open_s)
        check_switch(self, "combined", "count_in_flight")

    def bind(self, pool: Pool) -> None:
        self._rng.setstate(pool.rng(self.name).getstate())

    def weight(self, worker: str, now: float) -> float:
        guard = self._guards.get(worker)
        return 1.0 if guard is None or guard.permits(now) > 0 else 0.0

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        self._settle(attempt.started_s)
        guard = self._guards.get(attempt.worker) or self._new_guard(attempt.worker)
        return guard.enter(attempt)

    def describe(self, worker: str, now: float) -> str:
        guard = self._guards.get(worker)
        phase = Phase.CLOSED if guard is None else guard.phase(now)
        return "" if phase is Phase.CLOSED else f"{self.name} {phase}"

    def _settle(self, now: float) -> None:
        """Every attempt settles whatever circuit has slow ones: one that is shut is never entered itself."""
        for lease in self._watch.take_due(now):
            slow_from_s = lease.guard.slow_from_s(lease, now)
            if slow_from_s is None:
                continue  # it has ended
            if slow_from_s < now:
                self._suspects[lease.guard] = None
            else:
                self._watch.look_at(lease, slow_from_s)
        for guard in list(self._suspects):
            if not guard.settle(now):
                del self._suspects[guard]
                guard.watch_all(now)

    def _new_guard(self, worker: str) -> "_Guard":
        bounds = SlowBounds(self.slow_ttft_s, self.slow_tpot_s)
        circuit = Circuit(self, self._rng)
        guard = self._guards[worker] = _Guard(self, bounds, bounds.soonest_s, circuit, self._watch)
        return guard


@dataclass(slots=True, eq=False)
class _Guard:
    """One worker's circuit and the leases of its present epoch, the oldest first."""

    rules: BreakerWindow
    bounds: SlowBounds
    soonest_s: float  # of `bounds`
    circuit: Circuit
    watch: SlowWatch["_Lease"]
    leases: dict["_Lease", Attempt] = field(default_factory=dict)

    def phase(self, now: float) -> Phase:
        return self.circuit.phase(now, self._slow_since(now))

    def permits(self, now: float) -> float:
        if self.circuit.closed and not self._slow_since(now):
            return float("inf")
        return self.circuit.permits(now, self._slow_since(now), self._probes(now))

    def settle(self, now: float) -> bool:
        """Make an opening that attempts in flight have brought about lasting. Whether any of them is slow."""
        if slow_since := self._slow_since(now):
            self.circuit.settle(now, slow_since)
            self._forget_stale_leases()
        return bool(slow_since)

    def slow_from_s(self, lease: "_Lease", now: float) -> float | None:
        """Loop time from which the attempt of a lease is slow or, past `now`, a time until which it is not.

        None once it has ended. Nothing that comes from now on makes it slow sooner, nor does it matter how
        many of its tokens were handed over yet.
        """
        attempt = self.leases.get(lease)
        return None if attempt is None else self._slow_from_s(attempt, now)

    def watch_all(self, now: float) -> None:
        for lease, attempt in self.leases.items():
            self.watch.look_at(lease, self._slow_from_s(attempt, now))

    def _slow_from_s(self, attempt: Attempt, now: float) -> float:
        soonest_s = self.bounds.slow_soonest_s(attempt, now)
        return soonest_s if soonest_s >= now else self.bounds.slow_from_s(attempt)

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        now = attempt.started_s
        if self.permits(now) <= 0:
            return self._rejection(attempt.worker, now)
        lease = _Lease(self, self.circuit.epoch)
        self.leases[lease] = attempt
        if self.rules.count_in_flight:
            self.watch.look_at(lease, now + self.soonest_s)
        return lease

    def close(self, lease: "_Lease", attempt: Attempt, outcome: Outcome, now: float) -> None:
        self.settle(now)
        if self.leases.pop(lease, None) is not None:
            self.circuit.record(self._judge(attempt, outcome, now), now)
            self._forget_stale_leases()

    def _judge(self, attempt: Attempt, outcome: Outcome, now: float) -> Evidence:
        if outcome.answered and self.bounds.was_slow(attempt, now):
            return Evidence.SLOW
        return lesson(outcome, overdue=self.bounds.slow_from_s(attempt) < now).worker

    def _slow_since(self, now: float) -> Sequence[float]:
        if not self.rules.count_in_flight:
            return ()
        times: list[float] = []
        soonest_s = self.soonest_s
        for attempt in self.leases.values():
            if now - attempt.started_s <= soonest_s:
                break  # this one and all after it are too young
            if self.bounds.slow_at_least_from_s(attempt) >= now:
                continue
            since_s = self.bounds.slow_from_s(attempt)
            if since_s < now:
                times.append(since_s)
        return times

    def _probes(self, now: float) -> int:
        """Leases that hold a permit while half open."""
        if self.circuit.phase(now) is Phase.CLOSED:
            return 0
        return sum(attempt.age_s(now) < self.rules.half_open_lease_s for attempt in self.leases.values())

    def _forget_stale_leases(self) -> None:
        if self.leases and next(iter(self.leases)).epoch != self.circuit.epoch:
            self.leases.clear()

    def _rejection(self, worker: str, now: float) -> Rejection:
        until_s = self.circuit.open_until_s(now) or now
        if now < until_s:
            return Rejection(f"{worker} is shut out by its breaker", until_s - now)
        return Rejection(f"{worker} is on probation and its probe is still out")


@dataclass(slots=True, eq=False)
class _Lease(Lease):
    """Counts only in the epoch in which its attempt started: stragglers neither reopen nor prolong."""

    guard: _Guard
    epoch: int

    def close(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self.guard.close(self, attempt, outcome, now)
