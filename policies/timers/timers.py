"""Bounds on one attempt, innermost, so that their expiry is evidence against the worker waited on.

One timer is moved forward with each content token. Bytes without content (comments, role deltas, usage) do
not move it: keep-alive pings must not hide a stalled model.
"""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from policies.bounds import check, check_switch
from policies.call import Attempt
from policies.outcome import Kind, Outcome
from policies.policy import Place, Policy, Send
from policies.timers.expiry import NEVER, Expiry


@dataclass(frozen=True, slots=True, kw_only=True)
class Timers(Policy):
    """Connect, first token, between tokens, whole attempt; all in seconds, infinity switches one off.

    Calls that do not stream have no first token to watch: for them only `connect_s` and `attempt_s` act.

    Attributes:
        connect_s: until the connection stands.
        ttft_s: until the first content token. A policy may set a shorter one for an attempt.
        itl_s: silence between content tokens.
        attempt_s: the whole attempt.
        content_only: bytes without content are no sign of life. False is how a timer on bytes sees it.
    """

    name: ClassVar[str] = "timers"
    meaning: ClassVar[str] = "sets no bound"
    place: ClassVar[Place | None] = Place.DEADLINE

    connect_s: float = NEVER
    ttft_s: float = NEVER
    itl_s: float = NEVER
    attempt_s: float = NEVER
    content_only: bool = True

    def __post_init__(self) -> None:
        check(self, "connect_s", "ttft_s", "itl_s", "attempt_s", above=0)
        check_switch(self, "content_only")

    async def run(self, attempt: Attempt, send: Send) -> Outcome:
        attempt.connect_s = None if self.connect_s == NEVER else self.connect_s
        watch = _Watch(self, attempt)
        try:
            return await send(attempt)
        except asyncio.CancelledError:
            if not watch.stop():
                raise
            return self._expired(attempt, watch.last_sign_s)
        finally:
            watch.stop()

    def expires_s(self, attempt: Attempt, last_sign_s: float | None) -> float:
        """Loop time at which the attempt runs out if no further sign of life comes."""
        return min(attempt.started_s + self.attempt_s, self._token_expires_s(attempt, last_sign_s))

    def first_s(self, attempt: Attempt) -> float:
        """The bound on the first token of this attempt."""
        return min(self.ttft_s, attempt.ttft_s) if attempt.call.stream else NEVER

    def _token_expires_s(self, attempt: Attempt, last_sign_s: float | None) -> float:
        if not attempt.call.stream:
            return NEVER
        last_s = _latest(attempt.last_token_s, last_sign_s)
        return attempt.started_s + self.first_s(attempt) if last_s is None else last_s + self.itl_s

    def _expired(self, attempt: Attempt, last_sign_s: float | None) -> Outcome:
        whole = attempt.started_s + self.attempt_s <= self._token_expires_s(attempt, last_sign_s)
        first = _latest(attempt.last_token_s, last_sign_s) is None
        phase = "attempt" if whole else "first_token" if first else "between_tokens"
        bound_s = self.attempt_s if whole else self.first_s(attempt) if first else self.itl_s
        cause = f"{phase} took longer than {bound_s:g} s on {attempt.worker}"
        return Outcome(kind=Kind.TIMEOUT, phase=phase, cause=cause, by="timeout", status=504)


def _latest(one_s: float | None, other_s: float | None) -> float | None:
    return max((each for each in (one_s, other_s) if each is not None), default=None)


class _Watch:
    """Looks at an attempt when it would run out, and again later if content has come since.

    Moving a timer with every token would cost more than passing the token on. Only the first token can bring
    the end nearer: from then on the gap counts.
    """

    __slots__ = ("_attempt", "_expiry", "_timers", "last_sign_s")

    def __init__(self, timers: Timers, attempt: Attempt) -> None:
        self.last_sign_s: float | None = None  # of life without content, where that counts
        self._timers = timers
        self._attempt = attempt
        self._expiry = Expiry()
        attempt.on_content = self._first_content
        if not timers.content_only:
            attempt.on_empty = self._empty
        first_by_s = min(timers.attempt_s, timers.first_s(attempt))
        self._expiry.look_at(attempt.started_s + first_by_s, self._look)

    def stop(self) -> bool:
        """Watch no longer. Whether time ran out, and nobody else wants the task to end."""
        self._attempt.on_content = self._attempt.on_empty = None
        return self._expiry.stop()

    def _first_content(self, now: float) -> None:
        self._attempt.on_content = None
        self._sign(now)

    def _empty(self, now: float) -> None:
        first, self.last_sign_s = self.last_sign_s is None, now
        if first:
            self._sign(now)

    def _sign(self, now: float) -> None:
        """The first sign of life: from now on the gaps count."""
        if self._attempt.call.stream:
            gap_s = now + self._timers.itl_s
            self._expiry.look_at(min(self._attempt.started_s + self._timers.attempt_s, gap_s), self._look)

    def _look(self) -> None:
        expires_s = self._timers.expires_s(self._attempt, self.last_sign_s)
        if expires_s > self._expiry.loop.time():
            self._expiry.look_at(expires_s, self._look)
        else:
            self._expiry.run_out()
