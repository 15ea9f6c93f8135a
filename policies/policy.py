"""The policy contracts. Judge synchronously, wait asynchronously.

A request passes the layers from the outermost inwards (cache, fallback, deadline, admission, retry *or*
hedge). Each call of the innermost `next` is one attempt: the picker chooses among the workers whose gates
have weight, every gate is asked to `enter` (the first rejection sends the picker to another worker), the
timers run around the sending, and each lease is closed exactly once with the outcome.

A gate decides in a plain function call. Nothing can run between its question and its answer under asyncio,
so it needs no lock and has nothing to race. Every base class here is a no-op and a policy by itself.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, TypeAlias

from policies.call import Attempt, Call
from policies.candidates import Candidate, Candidates
from policies.outcome import Outcome
from policies.pool import Pool

Next: TypeAlias = Callable[[Call], Awaitable[Outcome]]
Send: TypeAlias = Callable[[Attempt], Awaitable[Outcome]]


class Place(IntEnum):
    """Where a policy belongs on the way of a call, the outermost first."""

    CACHE = 1
    SINGLE_FLIGHT = 2
    FALLBACK = 3
    DEADLINE = 4
    ADMISSION = 5
    BUDGET = 6
    DRIVER = 7
    GATE = 8
    PICKER = 9


class Observer:
    """Hears what the pipeline does. The gateway's writes the history; every policy may be one."""

    def attempt_started(self, attempt: Attempt) -> None: ...
    def first_token(self, attempt: Attempt) -> None:
        """At `attempt.first_token_s`, which is now."""

    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        """After all leases were closed. Exactly once for each that started."""

    def gate_rejected(self, attempt: Attempt, gate: "Gate", rejection: "Rejection") -> None: ...


class Policy(Observer):
    """What every policy has.

    Attributes:
        name: in the registry.
        meaning: one line.
        place: where it belongs in a pipeline; None for anywhere.
        repeatable: whether a pipeline may have two of it.
    """

    name: ClassVar[str] = "none"
    meaning: ClassVar[str] = "does nothing"
    place: ClassVar[Place | None] = None
    repeatable: ClassVar[bool] = False

    def bind(self, pool: Pool) -> None:
        """Called once, before the first call, with the pool that the pipeline is put in front of."""

    def brings(self) -> "Sequence[Policy]":
        """Further policies that this one stands for, each at its own place."""
        return ()


class Layer(Policy):
    """Wraps a call. May refuse it, bound it, or call `next` more than once."""

    place: ClassVar[Place | None] = Place.ADMISSION

    async def run(self, call: Call, next: Next) -> Outcome:
        return await next(call)


class Driver(Layer):
    """A layer that makes more attempts of a call than one. `stacked` says that another such is meant."""

    place: ClassVar[Place | None] = Place.DRIVER
    stacked: bool = False

    @property
    def most_attempts(self) -> int:
        """The most that it makes of one call, budgets aside."""
        return 1


@dataclass(frozen=True, slots=True)
class Rejection:
    """A gate's no."""

    reason: str
    retry_after_s: float | None = None


class Lease:
    """A gate's yes, held until the end of the stream (not until the headers)."""

    def close(self, attempt: Attempt, outcome: Outcome, now: float) -> None:
        """Called exactly once, whatever happened, with the outcome of the attempt."""


FREE = Lease()  # the lease of a gate that keeps no account


class Gate(Policy):
    """Judges one worker at a time. State is keyed by worker."""

    place: ClassVar[Place | None] = Place.GATE

    def sweep(self, now: float) -> None:
        """Bring the state up to `now`. Called before the workers are looked at for a new attempt."""

    def weight(self, worker: str, now: float) -> float:
        """0 is closed, 1 is a full share of traffic. No side effects."""
        return 1.0

    def enter(self, attempt: Attempt) -> Lease | Rejection:
        """Admit an attempt that starts now (`attempt.started_s`)."""
        return FREE

    def describe(self, worker: str, now: float) -> str:
        """State for people and for the history, empty if there is none."""
        return ""


class Picker(Policy):
    """Chooses a worker. The default takes the first."""

    place: ClassVar[Place | None] = Place.PICKER

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        """One of the open workers among `candidates`, None if there is none."""
        return next(candidates.in_order(), None)
