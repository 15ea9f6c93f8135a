"""A request on its way, and one sending of it to one worker."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

DEFAULT_PRIORITY = 1


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


class Budget:
    """What a call may ask before it makes one more attempt. This one never refuses."""

    def take(self, now: float) -> bool:
        """Whether an attempt beyond the first may be made, which is then paid for."""
        return True


UNLIMITED = Budget()


@dataclass(slots=True, eq=False)
class Trail:
    """The attempts of a call so far. `last_worker`: where the latest went, empty before the first."""

    attempts: int = 0
    last_worker: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class Call:
    """One request on its way through the tiers.

    Attributes:
        route, payload: what to ask of the worker; opaque to policies.
        priority: how much it matters, 0 the most. What may be shed first has the highest number.
        deadline_s: loop time after which the answer is worthless.
        workers: the only workers this call may reach, None for all. Fixed by the caller's configuration.
        avoid: workers that the attempt driver would rather not use again for this call.
        hedge: it races another attempt of the same request, and is of no use at a worker to be avoided.
        budget: of the attempts beyond the first; `retry_budget` sets it.
        trail: what was tried, shared by all forks of the call.
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
    priority: int = DEFAULT_PRIORITY
    prompt_tokens: int = 0
    max_tokens: int = 1
    deadline_s: float = float("inf")
    workers: frozenset[str] | None = None
    avoid: set[str] = field(default_factory=set)
    hedge: bool = False
    budget: Budget = UNLIMITED
    trail: Trail = field(default_factory=Trail)
    seed: str = ""
    sink: Callable[[Chunk], None] = _discard
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

    @property
    def attempts(self) -> int:
        """How many were made so far."""
        return self.trail.attempts

    @property
    def last_worker(self) -> str:
        """Where the latest attempt went, empty before the first."""
        return self.trail.last_worker

    def fork(self, sink: Callable[[Chunk], None], *, hedge: bool = False) -> Self:
        """Another way to the same answer, with a sink and a commitment of its own and the same trail."""
        return replace(
            self, sink=sink, hedge=hedge, committed=False, seed=f"{self.seed} fork {self.trail.attempts}"
        )


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
    ttft_s: float = float("inf")  # bound on the first token that a policy set for this attempt alone
    first_token_s: float | None = None
    on_content: Callable[[float], None] | None = None  # the timers listen here
    on_empty: Callable[[float], None] | None = None  # and here for pieces without content
    on_first_token: Callable[["Attempt"], None] | None = None  # the pipeline listens here
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
            first = self.first_token_s is None
            if first:
                self.first_token_s = now
                self.call.committed = True
            if chunk.times_s:
                self._token_times_s.extend(chunk.times_s)
            else:
                self._token_times_s.append(now)
            if self.on_content is not None:
                self.on_content(now)
            if first and self.on_first_token is not None:
                self.on_first_token(self)
        elif self.on_empty is not None:
            self.on_empty(now)
        self.call.sink(chunk)

    def age_s(self, now: float) -> float:
        return now - self.started_s
