"""Several policies acting as one, and the making of attempts.

Order, outermost first: the layers as listed; then per attempt the picker over the gates, the gates' leases,
the timers, and the sending. Only this file creates attempts, and nothing in it awaits between choosing a
worker and holding all its leases.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from policies.call import Attempt, Call
from policies.candidates import MOST_SUBSETS, Candidate, Candidates
from policies.outcome import Kind, Outcome
from policies.policy import Driver, Gate, Layer, Lease, Next, Observer, Picker, Policy, Rejection, Send
from policies.pool import Ask, Pool, nobody_answers
from policies.timers.timers import Timers

# asyncio runs a timer up to one clock resolution before its time.
EARLY_TIMER_S = 1e-6

_LEFT = Outcome(kind=Kind.ABANDONED, phase="attempt", cause="the waiting side left", by="gateway")
_NONE_OPEN = Rejection("no worker is open")
_NOBODY: Set[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stack(Layer):
    """Layers as one layer, the first outermost."""

    layers: tuple[Layer, ...] = ()

    async def run(self, call: Call, next: Next) -> Outcome:
        return await self.before(next)(call)

    def before(self, next: Next) -> Next:
        """The way through the layers to `next`."""
        for layer in reversed(self.layers):
            next = _enter(layer, next)
        return next


def _enter(layer: Layer, next: Next) -> Next:
    def enter(call: Call) -> Awaitable[Outcome]:
        return layer.run(call, next)

    return enter


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Policies in order. `over` binds them to workers; state lives in them, so one run, one pipeline."""

    layers: tuple[Layer, ...] = ()
    gates: tuple[Gate, ...] = ()
    picker: Picker = field(default_factory=Picker)
    timers: Timers = field(default_factory=Timers)
    others: tuple[Policy, ...] = ()  # that only listen

    @property
    def policies(self) -> tuple[Policy, ...]:
        return (*self.layers, *self.gates, self.picker, self.timers, *self.others)

    @property
    def drivers(self) -> tuple[Driver, ...]:
        """What makes more attempts of a call than one, the outermost first."""
        return tuple(layer for layer in self.layers if isinstance(layer, Driver))

    def over(
        self,
        workers: Sequence[str],
        send: Send,
        observer: Observer | None = None,
        *,
        seed: int = 0,
        ask: Ask = nobody_answers,
    ) -> "BoundPipeline":
        """Put it in front of `workers`. `seed`: of the policies' chance; `ask`: how they learn loads."""
        return BoundPipeline(self, tuple(workers), send, observer or Observer(), seed, ask)


class BoundPipeline:
    """A pipeline in front of its workers."""

    def __init__(
        self,
        pipeline: Pipeline,
        workers: Sequence[str],
        send: Send,
        observer: Observer,
        seed: int,
        ask: Ask,
    ) -> None:
        if not workers:
            raise ValueError("a pipeline needs at least one worker, got none")
        self.pipeline = pipeline
        self.workers = tuple(workers)
        self.pending: Counter[str] = Counter()  # attempts in flight per worker
        self._send = send
        self._hear(pipeline.policies, observer)
        self._sweeps = [gate.sweep for gate in pipeline.gates if type(gate).sweep is not Gate.sweep]
        self._enter = Stack(pipeline.layers).before(self._attempt)
        self._bound_to = lru_cache(MOST_SUBSETS)(self._in_pool_order)  # each costs the number of workers
        pool = Pool(workers=self.workers, pending=self.pending, seed=seed, ask=ask)
        for policy in pipeline.policies:
            policy.bind(pool)

    def _hear(self, policies: Sequence[Policy], observer: Observer) -> None:
        """Find who listens to what: most policies to nothing."""
        listeners = (*policies, observer)
        self._started = [each.attempt_started for each in listeners if _listens(each, "attempt_started")]
        self._ended = [each.attempt_ended for each in listeners if _listens(each, "attempt_ended")]
        self._rejected = [each.gate_rejected for each in listeners if _listens(each, "gate_rejected")]
        first = [each.first_token for each in listeners if _listens(each, "first_token")]

        def first_token(attempt: Attempt) -> None:
            for hear in first:
                hear(attempt)

        self._first_token = first_token if first else None

    async def run(self, call: Call) -> Outcome:
        """Take a call through the layers and as many attempts as they make."""
        return await self._enter(call)

    def describe(self, now: float) -> dict[str, str]:
        """Gate states per worker, without the empty ones."""
        gates, states = self.pipeline.gates, {}
        for worker in self.workers:
            if words := [state for gate in gates if (state := gate.describe(worker, now))]:
                states[worker] = " ".join(words)
        return states

    async def _attempt(self, call: Call) -> Outcome:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for sweep in self._sweeps:
            sweep(now)
        started = self._admit(call, now)
        if isinstance(started, Outcome):
            return started
        attempt, leases = started
        outcome = _LEFT
        try:
            outcome = await self.pipeline.timers.run(attempt, self._send)
            return outcome
        finally:
            self._close(attempt, leases, outcome, loop.time())

    def _admit(self, call: Call, now: float) -> tuple[Attempt, list[Lease]] | Outcome:
        """Choose a worker and hold every lease for it, or refuse."""
        last, refused = _NONE_OPEN, _NOBODY
        while chosen := self._pick(call, refused, now):
            attempt = Attempt(call=call, worker=chosen.worker, number=call.attempts + 1, started_s=now)
            entered = self._enter_gates(attempt)
            if not isinstance(entered, Rejection):
                call.trail.attempts += 1
                call.trail.last_worker = attempt.worker
                self.pending[attempt.worker] += 1
                attempt.on_first_token = self._first_token
                for hear in self._started:
                    hear(attempt)
                return attempt, entered
            last = entered
            refused = refused | {chosen.worker}
        return Outcome(
            kind=Kind.REJECTED,
            phase="admission",
            cause=last.reason,
            by="gateway",
            status=503,
            retry_after_s=last.retry_after_s,
        )

    def _pick(self, call: Call, refused: Set[str], now: float) -> Candidate | None:
        """A worker that is open and has not refused this attempt; one to be avoided if no other is left."""
        gates, pending = self.pipeline.gates, self.pending
        shunned = refused | call.avoid if call.avoid else refused

        def look(worker: str) -> Candidate | None:
            if worker in shunned:
                return None
            weight = 1.0
            for gate in gates:
                weight *= gate.weight(worker, now)
                if weight <= 0:
                    return None
            return Candidate(worker, weight, pending[worker])

        candidates = Candidates(self._allowed(call), look)
        chosen = self.pipeline.picker.pick(call, candidates)
        if chosen is None and call.avoid and not call.hedge:
            shunned = refused
            chosen = self.pipeline.picker.pick(call, candidates)
        return chosen

    def _allowed(self, call: Call) -> Sequence[str]:
        """The workers that the call may reach, in pool order."""
        return self.workers if call.workers is None else self._bound_to(call.workers)

    def _in_pool_order(self, allowed: frozenset[str]) -> tuple[str, ...]:
        return tuple(worker for worker in self.workers if worker in allowed)

    def _enter_gates(self, attempt: Attempt) -> list[Lease] | Rejection:
        leases: list[Lease] = []
        for gate in self.pipeline.gates:
            entered = gate.enter(attempt)
            if isinstance(entered, Rejection):
                for hear in self._rejected:
                    hear(attempt, gate, entered)
                unsent = Outcome(kind=Kind.REJECTED, phase="admission", cause=entered.reason, by=gate.name)
                for lease in leases:
                    lease.close(attempt, unsent, attempt.started_s)
                return entered
            leases.append(entered)
        return leases

    def _close(self, attempt: Attempt, leases: list[Lease], outcome: Outcome, now: float) -> None:
        if outcome.kind is Kind.ABANDONED and now + EARLY_TIMER_S >= attempt.call.deadline_s:
            outcome = Outcome(
                kind=Kind.TIMEOUT, phase="total", cause="deadline ran out", by="deadline", status=504
            )
        self.pending[attempt.worker] -= 1
        for lease in leases:
            lease.close(attempt, outcome, now)
        attempt.on_first_token = None
        for hear in self._ended:
            hear(attempt, outcome, now)


def _listens(observer: Observer, hook: str) -> bool:
    return getattr(type(observer), hook) is not getattr(Observer, hook)
