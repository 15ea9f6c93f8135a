"""Bounds on one attempt, innermost, so that their expiry is evidence against the worker waited on.

One timer is moved forward with each content token. Bytes without content (comments, role deltas, usage) do
not move it: keep-alive pings must not hide a stalled model.
"""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from policies.outcome import Kind, Outcome
from policies.policy import Attempt, Policy, Send

NEVER = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timers(Policy):
    """Connect, first token, between tokens, whole attempt; all in seconds, infinity switches one off.

    Calls that do not stream have no first token to watch: for them only `connect_s` and `attempt_s` act.
    """

    name: ClassVar[str] = "timers"
    meaning: ClassVar[str] = "bounds connect, first token, gap between tokens and whole attempt"

    connect_s: float = NEVER
    first_token_s: float = NEVER
    between_tokens_s: float = NEVER
    attempt_s: float = NEVER

    def __post_init__(self) -> None:
        for field in ("connect_s", "first_token_s", "between_tokens_s", "attempt_s"):
            if not getattr(self, field) > 0:
                raise ValueError(f"timers: {field} must be above 0 s, got {getattr(self, field)}")

    async def run(self, attempt: Attempt, send: Send) -> Outcome:
        attempt.connect_s = None if self.connect_s == NEVER else self.connect_s
        try:
            async with asyncio.timeout_at(_when(self.expires_s(attempt))) as timer:
                attempt.on_content = lambda _now: self._move(timer, attempt)
                return await send(attempt)
        except TimeoutError:
            if not timer.expired():
                raise
            return self._expired(attempt)
        finally:
            attempt.on_content = None

    def expires_s(self, attempt: Attempt) -> float:
        """Loop time at which the attempt runs out if no further token comes."""
        return min(attempt.started_s + self.attempt_s, self._token_expires_s(attempt))

    def _move(self, timer: asyncio.Timeout, attempt: Attempt) -> None:
        # A token can come in the very tick in which time ran out; an expired timer refuses to be moved.
        if not timer.expired():
            timer.reschedule(_when(self.expires_s(attempt)))

    def _token_expires_s(self, attempt: Attempt) -> float:
        if not attempt.call.stream:
            return NEVER
        if attempt.last_token_s is None:
            return attempt.started_s + self.first_token_s
        return attempt.last_token_s + self.between_tokens_s

    def _expired(self, attempt: Attempt) -> Outcome:
        whole = attempt.started_s + self.attempt_s <= self._token_expires_s(attempt)
        token = "first_token" if attempt.last_token_s is None else "between_tokens"
        phase = "attempt" if whole else token
        bound_s = self.attempt_s if whole else getattr(self, f"{token}_s")
        cause = f"{phase} took longer than {bound_s:g} s on {attempt.worker}"
        return Outcome(kind=Kind.TIMEOUT, phase=phase, cause=cause, by="timers", status=504)


def _when(time_s: float) -> float | None:
    return None if time_s == NEVER else time_s
