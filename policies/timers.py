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
        watch = _Watch(self, attempt)
        try:
            return await send(attempt)
        except asyncio.CancelledError:
            if not watch.stop():
                raise
            return self._expired(attempt)
        finally:
            watch.stop()

    def expires_s(self, attempt: Attempt) -> float:
        """Loop time at which the attempt runs out if no further token comes."""
        return min(attempt.started_s + self.attempt_s, self._token_expires_s(attempt))

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


class _Watch:
    """Looks at an attempt when it would run out, and again later if content has come since.

    Moving a timer with every token would cost more than passing the token on. Only the first token can bring
    the end nearer: from then on the gap counts. The end comes by cancelling the task, as with
    `asyncio.timeout`, which would take longer than all the rest of this file.
    """

    __slots__ = ("_attempt", "_cancelled_before", "_handle", "_loop", "_ran_out", "_task", "_timers")

    def __init__(self, timers: Timers, attempt: Attempt) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("timers are used from within a task")
        self._timers = timers
        self._attempt = attempt
        self._task = task
        self._cancelled_before = task.cancelling()
        self._ran_out = False
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None
        attempt.on_content = self._first_content
        first_s = timers.first_token_s if attempt.call.stream else NEVER
        self._arm(attempt.started_s + min(timers.attempt_s, first_s))

    def stop(self) -> bool:
        """Watch no longer. Whether time ran out, and nobody else wants the task to end."""
        self._attempt.on_content = None
        if self._handle is not None:
            self._handle.cancel()
        if not self._ran_out:
            return False
        self._ran_out = False
        return self._task.uncancel() <= self._cancelled_before

    def _first_content(self, now: float) -> None:
        self._attempt.on_content = None
        if not self._attempt.call.stream:
            return
        expires_s = min(self._attempt.started_s + self._timers.attempt_s, now + self._timers.between_tokens_s)
        if self._handle is not None:
            self._handle.cancel()
        self._arm(expires_s)

    def _arm(self, expires_s: float) -> None:
        self._handle = None if expires_s == NEVER else self._loop.call_at(expires_s, self._look)

    def _look(self) -> None:
        expires_s = self._timers.expires_s(self._attempt)
        if expires_s > self._loop.time():
            self._arm(expires_s)
        else:
            self._ran_out = True
            self._task.cancel()
