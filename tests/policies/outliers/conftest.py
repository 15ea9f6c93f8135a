"""A pool of workers in front of one gate, driven by hand: token by token, without a loop."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

import pytest

from policies.call import Attempt, Call, Chunk
from policies.outcome import OK, Outcome
from policies.policy import Gate
from policies.pool import Pool

Event = tuple[float, int, Callable[[float], None]]


@dataclass
class Traffic:
    """Every worker gets `rate` attempts a second, at random times, as far as the gate is open.

    `slow`: factor of each slow worker; `outcome`: how attempts end at a worker, in place of an answer.
    `seats`: attempts that a worker serves at once; the others wait in line. `silent`: after the first token.
    """

    gate: Gate
    workers: Sequence[str] = ("w0", "w1", "w2", "w3")
    rate: float = 5.0
    ttft_s: float = 0.05
    tpot_s: float = 0.03
    lengths: Sequence[int] = (16,)
    prompts: Sequence[int] = (20,)
    ttft_per_token_s: float = 0.0
    stream: bool = True
    seats: int = 1000
    slow: dict[str, float] = field(default_factory=dict)
    outcome: dict[str, Outcome] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    seed: int = 1

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.now = 0.0
        self.pending: Counter[str] = Counter()
        self.started: Counter[str] = Counter()
        self.serving: Counter[str] = Counter()
        self.lines: dict[str, list[Attempt]] = {worker: [] for worker in self.workers}
        self.events: list[Event] = []
        self.numbers = count()
        self.gate.bind(Pool(workers=self.workers, pending=self.pending, seed=self.seed))
        for worker in self.workers:
            self._arrive_later(worker, 0.0)

    def run(self, seconds: float) -> float:
        """Go on for so long; the time then."""
        end_s = self.now + seconds
        while self.events[0][0] <= end_s:
            self.now, _, happen = heappop(self.events)
            happen(self.now)
        self.now = end_s
        return end_s

    def weights(self) -> list[float]:
        return [self.gate.weight(worker, self.now) for worker in self.workers]

    def first_out(self, worker: str, within_s: float) -> float | None:
        """Seconds until the gate shuts a worker, None if it does not."""
        start_s = self.now
        while self.now < start_s + within_s:
            self.run(0.1)
            if self.gate.weight(worker, self.now) == 0:
                return self.now - start_s
        return None

    def _at(self, when_s: float, happen: Callable[[float], None]) -> None:
        heappush(self.events, (when_s, next(self.numbers), happen))

    def _arrive_later(self, worker: str, now: float) -> None:
        self._at(now + self.rng.expovariate(self.rate), lambda when_s: self._arrive(worker, when_s))

    def _arrive(self, worker: str, now: float) -> None:
        self._arrive_later(worker, now)
        self.gate.sweep(now)
        if self.rng.random() >= self.gate.weight(worker, now):
            return
        length, prompt = self.rng.choice(self.lengths), self.rng.choice(self.prompts)
        call = Call(id="c", max_tokens=length, prompt_tokens=prompt, stream=self.stream)
        attempt = Attempt(call=call, worker=worker, number=1, started_s=now)
        self.pending[worker] += 1
        self.started[worker] += 1
        self.gate.attempt_started(attempt)
        self.lines[worker].append(attempt)
        self._serve(worker, now)

    def _serve(self, worker: str, now: float) -> None:
        while self.lines[worker] and self.serving[worker] < self.seats:
            self.serving[worker] += 1
            self._first(self.lines[worker].pop(0), now)

    def _first(self, attempt: Attempt, now: float) -> None:
        factor = self.slow.get(attempt.worker, 1.0)
        if attempt.worker in self.outcome:
            return self._at(now + 0.01, lambda when_s: self._end(attempt, when_s))
        ttft_s = self.ttft_s * self.rng.uniform(0.7, 1.3) + self.ttft_per_token_s * attempt.call.prompt_tokens
        gap_s = self.tpot_s if self.stream else 0.0
        start_s = now + factor * (ttft_s if self.stream else ttft_s + self.tpot_s * attempt.call.max_tokens)
        for number in range(1 if attempt.worker in self.silent else attempt.call.max_tokens):
            self._at(start_s + number * gap_s * factor, lambda when_s: self._token(attempt, when_s))
        return None

    def _token(self, attempt: Attempt, now: float) -> None:
        attempt.deliver(Chunk(b""), now)
        if attempt.tokens_so_far == 1:
            self.gate.first_token(attempt)
        if attempt.tokens_so_far == attempt.call.max_tokens:
            self._end(attempt, now)

    def _end(self, attempt: Attempt, now: float) -> None:
        worker = attempt.worker
        self.pending[worker] -= 1
        self.serving[worker] -= 1
        self.gate.attempt_ended(attempt, self.outcome.get(worker, OK), now)
        self._serve(worker, now)


@pytest.fixture
def traffic() -> Callable[..., Traffic]:
    """Makes a pool with traffic in front of a gate."""

    def make(gate: Gate, **how: Any) -> Traffic:
        return Traffic(gate, **how)

    return make
