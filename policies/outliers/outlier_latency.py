"""Ejection of the worker that takes longer than its peers: what a failure-only signal never sees."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import ClassVar

from policies.bounds import check, check_word
from policies.call import Attempt
from policies.every import Every
from policies.outcome import Outcome
from policies.outliers.ejection import Ejector, Standing
from policies.outliers.ejection_rules import EjectionRules
from policies.outliers.peer_latency import PeerLatency
from policies.outliers.slow_outliers import is_overload, slow_outliers
from policies.policy import Gate, Lease, Rejection
from policies.pool import Pool

CANARY_SAMPLES = 2  # a worker on its way back is judged by few attempts, for it gets few
LEAST_WEIGHT = 0.1  # of the slowest worker in mode `weight`: it must stay measured


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlierLatency(EjectionRules, Gate):
    """Compares first tokens and time per token with those of the other workers, once every `interval_s`.

    A worker is out after `consecutive_sweeps` in which it took at least `latency_ratio` times as long, unless
    more than half of the workers did: that is overload. The rules of ejection are the fields of
    `EjectionRules`, with the length doubling; besides:

    Attributes:
        latency_ratio: times longer than its peers.
        judge_s, min_samples: a worker is judged by the attempts of so many seconds, at least so many.
        window_s: how long a sample tells what is typical of its worker.
        modified_z: with five workers or more, how far outside the spread of all of them it must be as well.
        mode: `eject`, or `weight`: gives 1/ratio of a share instead, the form for a pool of two, where one
            that is out leaves nobody to compare with.
    """

    name: ClassVar[str] = "outlier_latency"
    meaning: ClassVar[str] = "takes out the worker that is slower than its peers, judged by token times"

    latency_ratio: float = 2.0
    consecutive_sweeps: int = 2
    min_samples: int = 8
    interval_s: float = 1.0
    judge_s: float = 3.0
    window_s: float = 30.0
    modified_z: float = 3.5
    mode: str = "eject"
    base_ejection_s: float = 10.0
    max_ejection_s: float = 120.0
    jitter_ratio: float = 0.1

    _ejector: Ejector = field(default_factory=Ejector, init=False, repr=False, compare=False)
    _latency: PeerLatency = field(default_factory=PeerLatency, init=False, repr=False, compare=False)
    _found: "_Found" = field(default_factory=lambda: _Found(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "latency_ratio", above=1)
        check(self, "consecutive_sweeps", "min_samples", at_least=1, whole=True)
        check(self, "interval_s", "judge_s", above=0)
        check(self, "window_s", at_least=self.judge_s)
        check(self, "modified_z", at_least=0)
        self.check_ejection(self)
        check_word(self, "mode", of=("eject", "weight"))

    def bind(self, pool: Pool) -> None:
        self._ejector.bind(self.name, self, pool)
        self._latency.bind(pool.pending, self.window_s)

    def ejection_s(self, count: int) -> float:
        return min(self.max_ejection_s, self.base_ejection_s * 2.0 ** min(count - 1, 64))

    def attempt_started(self, attempt: Attempt) -> None:
        self._latency.attempt_started(attempt)

    def first_token(self, attempt: Attempt) -> None:
        self._latency.first_token(attempt)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        self._latency.attempt_ended(attempt, outcome, now)

    def sweep(self, now: float) -> None:
        if not self._found.look.is_due(now, self.interval_s):
            return
        ratios = self._ratios(now)
        if len(ratios) == len(self._ejector.workers) and is_overload(ratios, self.latency_ratio):
            self._judge_anew()
            ratios = {}
        slow = slow_outliers(ratios, self.latency_ratio, self.modified_z)
        self._found.count(slow)
        if self.mode == "weight":
            self._found.weights = {
                worker: max(LEAST_WEIGHT, 1 / ratios[worker]) for worker in self._confirmed()
            }
        else:
            self._eject(now)

    def weight(self, worker: str, now: float) -> float:
        weights = self._found.weights
        return weights.get(worker, 1.0) if weights else self._ejector.weight(worker, now)

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        return self._ejector.enter(attempt)

    def describe(self, worker: str, now: float) -> str:
        if worker in self._found.weights:
            return f"{self.name} weight {self._found.weights[worker]:.2g}"
        return self._ejector.describe(worker, now)

    def _ratios(self, now: float) -> dict[str, float]:
        """Of the workers that can be judged, those with the largest ratio first."""
        found = {}
        for worker in self._ejector.workers:
            canary = self._ejector.standing(worker, now) is Standing.CANARY
            least = min(CANARY_SAMPLES, self.min_samples) if canary else self.min_samples
            ratio = self._latency.ratio(worker, now, self.judge_s, least)
            if ratio is not None:
                found[worker] = ratio
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _eject(self, now: float) -> None:
        for worker in self._confirmed():
            if self._ejector.eject(worker, now):
                self._latency.forget(worker)
                del self._found.sweeps[worker]

    def _judge_anew(self) -> None:
        """In an overload: what a worker took before it is no yardstick for what its peers take in it."""
        for worker in self._ejector.workers:
            self._latency.forget(worker)

    def _confirmed(self) -> list[str]:
        """The slowest first."""
        return [worker for worker, sweeps in self._found.sweeps.items() if sweeps >= self.consecutive_sweeps]


@dataclass(slots=True)
class _Found:
    """What the sweeps came to. `sweeps`: in how many in a row a worker was slow, the slowest first."""

    look: Every = field(default_factory=Every)
    sweeps: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    weights: dict[str, float] = field(default_factory=dict)

    def count(self, slow: list[str]) -> None:
        self.sweeps = {worker: self.sweeps.get(worker, 0) + 1 for worker in slow}
