"""The policy contracts. Judge synchronously, wait asynchronously.

A request passes the layers from the outermost inwards (cache, fallback, deadline, admission, retry *or*
hedge). Each call of the innermost `next` is one attempt: the picker chooses among the workers whose gates
have weight, every gate is asked to `enter` (the first rejection sends the picker to another worker), the
timers run around the sending, and each lease is closed exactly once with the outcome.

A gate decides in a plain function call. Nothing can run between its question and its answer under asyncio,
so it needs no lock and has nothing to race. Every base class here is a no-op and a policy by itself.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from policies.candidates import Candidate, Candidates
from policies.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of an answer on its way to the caller. Policies look at `tokens` only.

    Attributes:
        tokens: content tokens in it; 0 for role deltas, usage, comments: no sign of progress.
        times_s: when each of its tokens came, where they did not all come just now.
    """

    data: bytes
    tokens: int = 1
    times_s: Sequence[float] = ()


def _discard(chunk: Chunk) -> None:
    """The sink of a call whose tokens nobody reads."""


@dataclass(slots=True, eq=False, kw_only=True)
class Call:
    """One request on its way through the tiers.

    Attributes:
        route, payload: what to ask of the worker; opaque to policies.
        deadline_s: loop time after which the answer is worthless.
        workers: the only workers this call may reach, None for all. Fixed by the caller's configuration.
        avoid: workers that the attempt driver would rather not use again for this call.
        last_worker: where the latest attempt went, empty before the first.
        seed: of `rng`; the gateway gives each call its own.
        sink: takes the answer piece by piece.
        committed: a content token has gone to the caller, so another attempt would repeat text.
        served_by: the worker whose answer is being passed on, once the transport knows it.
    """

    id: str
    caller: str = ""
    route: str = ""
    payload: bytes = b""
    stream: bool = True
    prompt_tokens: int = 0
    max_tokens: int = 1
    deadline_s: float = float("inf")
    workers: frozenset[str] | None = None
    avoid: set[str] = field(default_factory=set)
    seed: str = ""
    sink: Callable[[Chunk], None] = _discard
    attempts: int = 0
    last_worker: str = ""
    committed: bool = False
    served_by: str = ""
    _rng: random.Random | None = field(default=None, init=False, repr=False)

    @property
    def rng(self) -> random.Random:
        """Chance for this call alone, so that a policy that draws more disturbs no other call.

        Made when first asked for: most policies never do, and seeding costs more than a whole call.
        """
        if self._rng is None:
            self._rng = random.Random(self.seed)
        return self._rng


@dataclass(slots=True, eq=False, kw_only=True)
class Attempt:
    """One sending of a call to one worker. All times are loop seconds.

    What has come so far may be asked for at any time. A transport that hands tokens over in bulk, later than
    they came, sets `catch_up`; the first token it always delivers as it comes.
    """

    call: Call
    worker: str
    number: int  # 1 for the first
    started_s: float
    connect_s: float | None = None  # bound on connecting, for the transport; None is its default
    first_token_s: float | None = None
    on_content: Callable[[float], None] | None = None  # the timers listen here
    catch_up: Callable[[], None] | None = None
    _tokens: int = field(default=0, init=False)
    _token_times_s: list[float] = field(default_factory=list, init=False)

    @property
    def tokens(self) -> int:
        """Content tokens so far."""
        if self.catch_up is not None:
            self.catch_up()
        return self._tokens

    @property
    def tokens_so_far(self) -> int:
        """Content tokens that were delivered; there may be more to catch up with."""
        return self._tokens

    @property
    def token_times_s(self) -> Sequence[float]:
        """When content came, ascending."""
        if self.catch_up is not None:
            self.catch_up()
        return self._token_times_s

    @property
    def last_token_s(self) -> float | None:
        times_s = self.token_times_s
        return times_s[-1] if times_s else None

    def deliver(self, chunk: Chunk, now: float) -> None:
        """Transport gives a piece of the answer; content restarts the timers and commits the call."""
        if chunk.tokens:
            self._tokens += chunk.tokens
            if self.first_token_s is None:
                self.first_token_s = now
                self.call.committed = True
            if chunk.times_s:
                self._token_times_s.extend(chunk.times_s)
            else:
                self._token_times_s.append(now)
            if self.on_content is not None:
                self.on_content(now)
        self.call.sink(chunk)

    def age_s(self, now: float) -> float:
        return now - self.started_s


Next: TypeAlias = Callable[[Call], Awaitable[Outcome]]
Send: TypeAlias = Callable[[Attempt], Awaitable[Outcome]]


class Policy:
    """What every policy has: a name in the registry and one line of meaning."""

    name: ClassVar[str] = "none"
    meaning: ClassVar[str] = "does nothing"


class Layer(Policy):
    """Wraps a call. May refuse it, bound it, or call `next` more than once."""

    async def run(self, call: Call, next: Next) -> Outcome:
        return await next(call)


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

    def pick(self, call: Call, candidates: Candidates) -> Candidate | None:
        """One of the open workers among `candidates`, None if there is none."""
        return next(candidates.in_order(), None)


class Observer:
    """Hears what the pipeline does. The gateway's writes the history."""

    def attempt_started(self, attempt: Attempt) -> None: ...
    def attempt_ended(self, attempt: Attempt, outcome: Outcome, now: float) -> None: ...
    def gate_rejected(self, attempt: Attempt, gate: Gate, rejection: Rejection) -> None: ...
