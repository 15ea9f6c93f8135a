"""The cheaper of a few drawn at random, where cost is a pessimistic latency times the attempts there."""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar

from policies.bounds import check, check_word
from policies.call import Attempt, Call
from policies.candidates import Candidate, Candidates
from policies.evidence import Evidence, Sample, lesson
from policies.outcome import Outcome
from policies.pickers.peak_cost import PeakCosts
from policies.policy import Picker
from policies.pool import Pool

METRICS = ("ttft", "e2e")


class _State:
    def __init__(self, tau_s: float) -> None:
        self.costs = PeakCosts(tau_s)
        self.rng = random.Random(0)
        # attempts without a sample yet, by worker, with when they started: the oldest first
        self.waiting: dict[str, dict[Attempt, float]] = defaultdict(dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakEwma(Picker):
    """Draws `choices` workers and takes the one of least cost * (pending + 1) / weight.

    Attributes:
        tau_s: memory of a worker's cost; see `peak_cost.py` for the rule.
        metric: what a sample is: `ttft`, from sending to the first token, or `e2e`, to the last.
        penalty_s: an error counts as an answer that took at least this long, or a worker that fails fast
            would look fast. With 0 it counts as what it took.
        choices: workers drawn at random.

    An attempt that waits for its sample counts with its age once that exceeds the cost: a slow answer is
    evidence before it ends. Attempts count as pending to the end of the stream, not to the headers.
    """

    name: ClassVar[str] = "peak_ewma"
    meaning: ClassVar[str] = "draws a few and takes the least peak latency times attempts in flight"

    tau_s: float = 10.0
    metric: str = "ttft"
    penalty_s: float = 10.0
    choices: int = 2

    _state: _State = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "tau_s", above=0)
        check(self, "penalty_s", at_least=0)
        check(self, "choices", at_least=1, whole=True)
        check_word(self, "metric", of=METRICS)
        object.__setattr__(self, "_state", _State(self.tau_s))

    def bind(self, pool: Pool) -> None:
        self._state.rng.seed(f"{pool.seed} {self.name}")

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        now = asyncio.get_running_loop().time()
        drawn = islice(candidates.at_random(self._state.rng), self.choices)
        return min(drawn, key=lambda candidate: self.score(candidate, now), default=None)

    def score(self, candidate: Candidate, now: float) -> float:
        """Seconds that one more attempt there is expected to cost; its weight divides."""
        cost_s = self._state.costs.cost_s(candidate.worker, now)
        waiting = self._state.waiting.get(candidate.worker)
        if waiting:
            cost_s = max(cost_s, now - next(iter(waiting.values())))
        return cost_s * (candidate.pending + 1) / candidate.weight

    def attempt_started(self, attempt: Attempt) -> None:
        self._state.waiting[attempt.worker][attempt] = attempt.started_s

    def first_token(self, attempt: Attempt) -> None:
        if self.metric == "ttft" and attempt.first_token_s is not None:
            del self._state.waiting[attempt.worker][attempt]
            seconds = attempt.first_token_s - attempt.started_s
            self._state.costs.learn(attempt.worker, seconds, attempt.first_token_s)

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        costs, worker, age_s = self._state.costs, attempt.worker, attempt.age_s(now)
        unsampled = self._state.waiting[worker].pop(attempt, None) is not None
        if outcome.answered and not unsampled:
            return  # its first token has said it all
        taught = lesson(outcome, overdue=age_s > costs.cost_s(worker, now))
        failed = taught.worker is Evidence.FAILURE
        if failed and taught.latency is Sample.NOTHING:
            costs.learn(worker, max(age_s, self.penalty_s), now)
        elif unsampled and taught.latency is Sample.WHOLE:
            costs.learn(worker, age_s, now)
        elif (unsampled or failed) and taught.latency is Sample.AT_LEAST:
            costs.learn_at_least(worker, age_s, now)
