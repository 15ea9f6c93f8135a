"""What a tier reads of a request before it passes it on: headers, and of the body what policies judge by."""

import math
import uuid
from collections.abc import Mapping

import msgspec

from harness.serving.job import DEFAULT_MAX_TOKENS
from harness.serving.openai_api import UNREADABLE, Asked
from policies.call import Call

LONGEST_NAME = 128  # characters of an id or a name in a header
LOWEST_PRIORITY = 9
BYTES_PER_TOKEN = 4  # of English text; policies compare prompts only roughly
MOST_TOKENS = 10**9  # a wrong request may ask for any number; policies calculate with it in floats


def read_call(route: str, headers: Mapping[str, str], payload: bytes, now: float) -> Call:
    """The call in a request that arrived at `now`. Lenient: the worker, which reads it whole, refuses it."""
    asked = _asked(payload)
    call = Call(
        id=header_safe(headers.get("X-Request-Id", "")) or uuid.uuid4().hex,
        caller=header_safe(headers.get("X-Caller", "")),
        route=route,
        payload=payload,
        stream=asked.stream,
        prompt_tokens=len(payload) // BYTES_PER_TOKEN,
        max_tokens=_longest_answer(asked),
    )
    if (priority := finite(headers.get("X-Priority"))) is not None:
        call.priority = int(min(max(priority, 0), LOWEST_PRIORITY))
    if workers := headers.get("X-Workers"):
        call.workers = frozenset(header_safe(worker) for worker in workers.split(","))
    if (remaining_ms := finite(headers.get("X-Deadline-Ms"))) is not None:
        call.deadline_s = now + remaining_ms / 1000
    return call


def header_safe(text: str) -> str:
    """`text` as it may stand in a header again: bytes that were no UTF-8 cannot be sent, nor written down."""
    return "".join(c for c in text if c.isprintable())[:LONGEST_NAME].strip()


def finite(header: str | None) -> float | None:
    """The number in a header, None if it is not one that can be calculated with."""
    try:
        number = float(header) if header else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _asked(payload: bytes) -> Asked:
    try:
        return msgspec.json.decode(payload, type=Asked)
    except UNREADABLE:
        return Asked()


def _longest_answer(asked: Asked) -> int:
    """The bound on the answer in tokens, read as the worker will read it."""
    tokens = asked.answer_tokens
    return DEFAULT_MAX_TOKENS if tokens is None else min(max(tokens, 1), MOST_TOKENS)
