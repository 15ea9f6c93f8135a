"""Taking workers out for a while, and how they come back: numbers in, numbers out.

An ejected worker gets nothing until its deadline, then a canary share, then all. Whoever judges the workers
asks for an ejection; whether it may be is decided here.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import floor

from policies.call import Attempt
from policies.outliers.ejection_rules import SLACK, EjectionRules
from policies.policy import FREE, Lease, Rejection
from policies.pool import Pool


class Standing(StrEnum):
    """How a worker stands."""

    IN = "in"
    CANARY = "canary"
    EJECTED = "ejected"


@dataclass(slots=True)
class _Record:
    """`count`: ejections not yet forgiven when the latest began."""

    until_s: float = 0.0
    count: int = 0


@dataclass(slots=True)
class Ejector:
    """Who is out until when. Without workers nobody can be."""

    name: str = ""
    rules: EjectionRules = field(default_factory=EjectionRules)
    workers: Sequence[str] = ()
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    _records: dict[str, _Record] = field(default_factory=dict)
    _panic_until_s: float = 0.0

    def bind(self, name: str, rules: EjectionRules, pool: Pool) -> None:
        """`name`: of the policy that ejects, by `rules`, from `pool`."""
        self.name, self.rules, self.workers, self.rng = name, rules, pool.workers, pool.rng(name)

    def standing(self, worker: str, now: float) -> Standing:
        record = self._records.get(worker)
        if record is None or now >= record.until_s + self.rules.canary_s:
            return Standing.IN
        return Standing.CANARY if now >= record.until_s else Standing.EJECTED

    def until_s(self, worker: str) -> float:
        """End of the latest ejection."""
        record = self._records.get(worker)
        return 0.0 if record is None else record.until_s

    def panics(self, now: float) -> bool:
        """Too few are in, so ejections are ignored."""
        return now < self._panic_until_s

    def weight(self, worker: str, now: float) -> float:
        if worker not in self._records or self.panics(now):
            return 1.0
        match self.standing(worker, now):
            case Standing.EJECTED:
                return 0.0
            case Standing.CANARY:
                return self.rules.canary_ratio
        return 1.0

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        """A gate's answer to an attempt that starts now."""
        now = attempt.started_s
        if self.weight(attempt.worker, now) > 0:
            return FREE
        return Rejection(f"{attempt.worker} is ejected", self.until_s(attempt.worker) - now)

    def describe(self, worker: str, now: float) -> str:
        """A gate's word for people; empty for a worker that is in."""
        standing = self.standing(worker, now)
        return "" if standing is Standing.IN else f"{self.name} {standing}"

    def out(self, now: float) -> list[str]:
        """Who is out, in no particular order; costs the number of those that ever were."""
        return [worker for worker, record in self._records.items() if now < record.until_s]

    def count(self, worker: str, now: float) -> int:
        """Ejections that still count: one less for each clean span at full weight."""
        record = self._records.get(worker)
        if record is None:
            return 0
        clean_s = max(0.0, now - record.until_s - self.rules.canary_s)
        return record.count - int(min(record.count, clean_s / self.rules.forgiven_s))

    def eject(self, worker: str, now: float) -> bool:
        """Take a worker out from now on, if another may be. One that is out stays out at least as long."""
        if not self._may(worker, now):
            return False
        count = self.count(worker, now) + 1
        length_s = self.rules.ejection_s(count) * (1 - self.rules.jitter_ratio * self.rng.random())
        record = self._records.setdefault(worker, _Record())
        record.until_s, record.count = max(record.until_s, now + length_s), count
        self._panic_until_s = self._next_panic_end_s(now)
        return True

    def _may(self, worker: str, now: float) -> bool:
        if worker not in self.workers:
            return False
        out = self.out(now)
        return worker in out or len(out) < self.rules.most_out(len(self.workers))

    def _next_panic_end_s(self, now: float) -> float:
        """When as many will be back as must be in, if nobody follows. In the past without a panic."""
        size = len(self.workers)
        tolerated = floor((1 - self.rules.min_healthy_ratio) * size + SLACK)
        ends_s = sorted((self._records[worker].until_s for worker in self.out(now)), reverse=True)
        return ends_s[tolerated] if tolerated < len(ends_s) else 0.0
