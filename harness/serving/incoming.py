"""What a tier reads of a request before it passes it on: headers, and of the body what policies judge by."""

import math
import uuid
from collections.abc import Mapping

import msgspec

from harness.serving.job import DEFAULT_MAX_TOKENS
from policies.policy import Call

MOST_TOKENS = 10**9  # a wrong request may ask for any number; policies calculate with it in floats


class _Peek(msgspec.Struct, frozen=True):
    """What a tier must know of a body that it passes on unread."""

    stream: bool = False
    max_tokens: int | None = None
    max_completion_tokens: int | None = None

    @property
    def answer_tokens(self) -> int:
        """The bound on the answer, read as the worker will read it."""
        asked = self.max_completion_tokens if self.max_tokens is None else self.max_tokens
        return DEFAULT_MAX_TOKENS if asked is None else min(max(asked, 1), MOST_TOKENS)


def read_call(route: str, headers: Mapping[str, str], payload: bytes, now: float) -> Call:
    """The call in a request that arrived at `now`. Lenient: the worker, which reads it whole, refuses it."""
    peek = _peek(payload)
    call = Call(
        id=headers.get("X-Request-Id") or uuid.uuid4().hex,
        caller=headers.get("X-Caller", ""),
        route=route,
        payload=payload,
        stream=peek.stream,
        max_tokens=peek.answer_tokens,
    )
    if workers := headers.get("X-Workers"):
        call.workers = frozenset(workers.split(","))
    if (remaining_ms := finite(headers.get("X-Deadline-Ms"))) is not None:
        call.deadline_s = now + remaining_ms / 1000
    return call


def finite(header: str | None) -> float | None:
    """The number in a header, None if it is not one that can be calculated with."""
    try:
        number = float(header) if header else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _peek(payload: bytes) -> _Peek:
    try:
        return msgspec.json.decode(payload, type=_Peek)
    except msgspec.DecodeError:
        return _Peek()
