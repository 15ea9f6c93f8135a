"""Less traffic for a worker that looks slow or says that it is busy, before anybody is sure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt
from policies.every import Every
from policies.evidence import Signal, lesson
from policies.outcome import Outcome
from policies.outliers.peer_latency import PeerLatency
from policies.policy import Gate
from policies.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectWeight(Gate):
    """Weight 1/score, where the score says how many times slower than its peers a worker is.

    Never 0: a worker without traffic is not measured, and would stay a suspect for ever.

    Attributes:
        suspect_ratio: score below which a worker has its full share; it is noise.
        floor_ratio: the least weight.
        busy_ratio: weight is this much lower for `busy_s` after the worker said that it is overloaded, or for
            as long as it asked for (Retry-After).
        interval_s: between two looks at the workers.
        judge_s, min_samples: a worker is judged by the attempts of so many seconds, at least so many.
        window_s: how long a sample tells what is typical of its worker.
    """

    name: ClassVar[str] = "suspect_weight"
    meaning: ClassVar[str] = "gives less to a worker that is slower than its peers or says it is busy"

    suspect_ratio: float = 1.5
    floor_ratio: float = 0.1
    busy_ratio: float = 0.25
    busy_s: float = 1.0
    interval_s: float = 1.0
    judge_s: float = 3.0
    min_samples: int = 8
    window_s: float = 30.0

    _latency: PeerLatency = field(default_factory=PeerLatency, init=False, repr=False, compare=False)
    _seen: "_Seen" = field(default_factory=lambda: _Seen(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "suspect_ratio", at_least=1)
        check(self, "floor_ratio", "busy_ratio", above=0, at_most=1)
        check(self, "busy_s", at_least=0)
        check(self, "interval_s", "judge_s", above=0)
        check(self, "window_s", at_least=self.judge_s)
        check(self, "min_samples", at_least=1, whole=True)

    def bind(self, pool: Pool) -> None:
        self._latency.bind(pool.pending, self.window_s)
        self._seen.workers = pool.workers

    def attempt_started(self, attempt: Attempt) -> None:
        self._latency.attempt_started(attempt)

    def first_token(self, attempt: Attempt) -> None:
        self._latency.first_token(attempt)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self._latency.attempt_ended(attempt, outcome, now)
        if lesson(outcome).limit is Signal.DECREASE:
            asked_s = self.busy_s if outcome.retry_after_s is None else outcome.retry_after_s
            self._seen.busy(attempt.worker, now + asked_s)

    def sweep(self, now: float) -> None:
        if self._seen.look.is_due(now, self.interval_s):
            self._seen.scores = self._scores(now)

    def score(self, worker: str) -> float:
        """How many times slower than its peers, by the latest look; 1 for a worker above suspicion."""
        return self._seen.scores.get(worker, 1.0)

    def weight(self, worker: str, now: float) -> float:
        weight = 1 / self.score(worker)
        if now < self._seen.busy_until_s.get(worker, 0.0):
            weight *= self.busy_ratio
        return max(self.floor_ratio, weight)

    def describe(self, worker: str, now: float) -> str:
        weight = self.weight(worker, now)
        return f"{self.name} {weight:.2g}" if weight < 1 else ""

    def _scores(self, now: float) -> Mapping[str, float]:
        """Of the suspects."""
        found = {}
        for worker in self._seen.workers:
            ratio = self._latency.ratio(worker, now, self.judge_s, self.min_samples)
            if ratio is not None and ratio >= self.suspect_ratio:
                found[worker] = ratio
        return found


@dataclass(slots=True)
class _Seen:
    """What is known between two looks. A shorter wait never takes the place of a longer one."""

    workers: Sequence[str] = ()
    look: Every = field(default_factory=Every)
    scores: Mapping[str, float] = field(default_factory=dict)
    busy_until_s: dict[str, float] = field(default_factory=dict)

    def busy(self, worker: str, until_s: float) -> None:
        self.busy_until_s[worker] = max(until_s, self.busy_until_s.get(worker, 0.0))
