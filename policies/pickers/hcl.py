"""Prequal's rule: ask workers for their load beside the calls, avoid the loaded, prefer the quick."""

import asyncio
import random
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt, Call
from policies.candidates import Candidate, Candidates
from policies.evidence import Evidence, lesson
from policies.outcome import Outcome
from policies.pickers.probe_pool import SIZE, Probe, ProbePool, reuse_budget, rounded
from policies.pickers.random_choice import draw
from policies.policy import Picker
from policies.pool import Ask, Load, Pool, nobody_answers

LEAST_PROBES = 2  # with fewer there is no choice to make
FAILED_IN_A_ROW = 2  # after which a worker's low latency is that of quick failures
AVERSE_S = 10.0  # since the last of them; then it may show that it answers again


@dataclass(slots=True)
class _Failures:
    in_a_row: int
    last_s: float


class _State:
    def __init__(self, max_age_s: float, q_rif: float) -> None:
        self.probes = ProbePool(max_age_s, q_rif)
        self.ask: Ask = nobody_answers
        self.rng = random.Random(0)
        self.reuse = inf
        self.failures: dict[str, _Failures] = {}

    def averse(self, worker: str, now: float) -> bool:
        """Whether its latest attempts failed, and not long ago."""
        failures = self.failures.get(worker)
        return (
            failures is not None and failures.in_a_row >= FAILED_IN_A_ROW and now - failures.last_s < AVERSE_S
        )

    def take(self, worker: str, asked_s: float, load: Load | None) -> None:
        """An answer to a probe. It ages from the asking on: through a slow link it is old when it comes."""
        if load is not None:
            uses = rounded(self.reuse, self.rng)
            self.probes.add(Probe(worker, load.in_flight, load.latency_s, asked_s, uses))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hcl(Picker):
    """The least latency among the cold workers; if all are hot, the fewest requests in flight.

    Each call sends probes to a few random workers, for the calls after it: a pick waits for nothing. With
    fewer than two fresh answers the worker is drawn. A worker whose latest attempts failed is taken only if
    all answers are of such.

    Attributes:
        probes_per_call: workers asked at each pick.
        remove_per_call: answers dropped at each pick, the oldest and the worst in turn.
        max_age_s: an answer is good for this long after it was asked for.
        q_rif: a worker is hot if it has more in flight than this share of the answers lately told of.
    """

    name: ClassVar[str] = "hcl"
    meaning: ClassVar[str] = "probes loads beside the calls, avoids the loaded, prefers the quick (Prequal)"

    probes_per_call: int = 3
    remove_per_call: int = 1
    max_age_s: float = 1.0
    q_rif: float = 0.84

    _state: _State = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check(self, "probes_per_call", at_least=1, whole=True)
        check(self, "remove_per_call", at_least=0, at_most=SIZE, whole=True)
        check(self, "max_age_s", above=0)
        check(self, "q_rif", at_least=0, at_most=1)
        object.__setattr__(self, "_state", _State(self.max_age_s, self.q_rif))

    def bind(self, pool: Pool) -> None:
        self._state.ask, self._state.rng = pool.ask, pool.rng(self.name)
        self._state.reuse = reuse_budget(len(pool.workers), self.probes_per_call, self.remove_per_call)

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        now = asyncio.get_running_loop().time()
        chosen = self._choose(call, candidates, now)
        self._probe(candidates, now)
        return chosen

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        failures = self._state.failures
        match lesson(outcome).worker:
            case Evidence.FAILURE:
                before = failures.get(attempt.worker)
                failures[attempt.worker] = _Failures(1 if before is None else before.in_a_row + 1, now)
            case Evidence.SUCCESS | Evidence.SLOW:
                failures.pop(attempt.worker, None)

    def _choose(self, call: Call, candidates: Candidates, now: float) -> Candidate | None:
        state = self._state
        usable: dict[Probe, Candidate] = {}
        for probe in state.probes.fresh(now):
            if call.workers is None or probe.worker in call.workers:
                candidate = candidates.look(probe.worker)
                if candidate is not None:
                    usable[probe] = candidate
        if len(usable) < LEAST_PROBES:
            return draw(candidates, call.rng)
        willing = [probe for probe in usable if not state.averse(probe.worker, now)] or list(usable)
        best = state.probes.best(willing, lambda probe: usable[probe].weight)
        state.probes.use(best)
        for _ in range(self.remove_per_call):
            state.probes.remove_one()
        return usable[best]

    def _probe(self, candidates: Candidates, now: float) -> None:
        state, workers = self._state, candidates.workers
        for drawn in state.rng.sample(range(len(workers)), min(self.probes_per_call, len(workers))):
            state.ask(workers[drawn], partial(state.take, workers[drawn], now))
