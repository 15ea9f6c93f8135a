"""Client-side throttling of the SRE book: a client that hears mostly no asks less by itself."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from math import inf
from typing import ClassVar

from policies.bounds import check
from policies.call import Attempt, Call, Trail
from policies.call_window import CallWindow, Ticket
from policies.cut_off import cut_off
from policies.evidence import lesson
from policies.outcome import Kind, Outcome
from policies.policy import Layer, Next
from policies.refusal import refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleSre(Layer):
    """Refuses a call by chance: P = max(0, (requests - k * accepts) / (requests + 1)).

    Source: Site Reliability Engineering, chapter "Handling overload". Its own refusals are requests too, that
    is how the book has it. A call still out is not held against the pool until it is overdue, or the first
    calls of all would be refused because none of them has been accepted yet.

    Attributes:
        k: so many times the accepts may be asked for; at 2 the pool sees up to twice what it can do.
        window_s: of the counts, by when calls started. Longer than the slowest call: max(120 s, 2 x total).
        slow_ttft_s: a streamed call without its first token after this is no accept, also before it ends.
            Infinity takes every answer for an accept, however late.
    """

    name: ClassVar[str] = "throttle_sre"
    meaning: ClassVar[str] = "refuses calls by chance once more than 1 in k fails (SRE book)"

    k: float = 2.0
    window_s: float = 120.0
    slow_ttft_s: float = inf

    _window: CallWindow = field(init=False, repr=False, compare=False)
    _silent: "OrderedDict[Trail, Ticket]" = field(  # calls without a first token, the oldest first
        default_factory=OrderedDict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        check(self, "k", at_least=1)
        check(self, "window_s", "slow_ttft_s", above=0)
        object.__setattr__(self, "_window", CallWindow(self.window_s))

    async def run(self, call: Call, next: Next) -> Outcome:
        loop = asyncio.get_running_loop()
        refused = self._refuse(call, loop.time())
        if refused is not None:
            return refused
        ticket = self._window.start(loop.time())
        if call.stream and self.slow_ttft_s < inf:
            self._silent[call.trail] = ticket
        outcome = None
        try:
            outcome = await next(call)
            return outcome
        finally:
            now = loop.time()
            self._end(call, ticket, outcome or cut_off(call, now), now)

    def first_token(self, attempt: Attempt) -> None:
        if self._silent and attempt.first_token_s is not None:
            self._find_overdue(attempt.first_token_s)
            self._silent.pop(attempt.call.trail, None)

    def _refuse(self, call: Call, now: float) -> Outcome | None:
        self._find_overdue(now)
        window = self._window
        window.move_to(now)
        ratio = reject_ratio(window.started, window.judged, window.accepted, self.k)
        if ratio <= 0 or call.rng.random() >= ratio:
            return None
        refused = refusal(self.name, f"fewer than 1 in {self.k:g} of recent calls were accepted")
        window.end(window.start(now), lesson(refused).throttle, now)
        return refused

    def _find_overdue(self, now: float) -> None:
        """Tell the window of the calls that wait for a first token and are too old by now."""
        while self._silent:
            trail, ticket = next(iter(self._silent.items()))
            if now - ticket.started_s <= self.slow_ttft_s:
                return
            del self._silent[trail]
            self._window.overdue(ticket)

    def _end(self, call: Call, ticket: Ticket, outcome: Outcome, now: float) -> None:
        self._find_overdue(now)
        self._silent.pop(call.trail, None)
        if outcome.answered and ticket.judged:
            outcome = replace(outcome, kind=Kind.SLOW)
        self._window.end(ticket, lesson(outcome).throttle, now)


def reject_ratio(requests: int, judged: int, accepts: int, k: float) -> float:
    """The share of calls to refuse. `judged` of the `requests` have come out, `accepts` of these well.

    With `judged` = `requests` it is the book's formula.
    """
    return max(0.0, (judged - k * accepts) / (requests + 1))
