"""When two calls ask the same: what is known to have the same answer, in the same form."""

import json
from typing import TypeAlias

from policies.call import Call

Key: TypeAlias = tuple[object, ...]

# How the answer is handed over, or for whom: no part of the question.
NOT_ASKED = ("stream", "stream_options", "user")


def request_key(call: Call) -> Key | None:
    """Calls with equal keys get equal answers. None for a call whose answer is its own.

    The key has the question (route, workers that may be reached, longest answer, payload with its fields
    sorted) and the form: an answer in pieces, with or without the piece on usage, is none in one body. A
    payload that is no JSON object is its own name. Only what is known to be deterministic is comparable:
    temperature 0 or a seed, and one answer; an object that cannot be read (a number of 5,000 digits) is not.
    """
    if not call.payload:
        return None
    asked = _fields(call.payload)
    if asked is None:
        if call.payload.lstrip().startswith(b"{"):
            return None
        return (call.route, call.workers, call.max_tokens, call.stream, call.payload)
    if not _deterministic(asked):
        return None
    question = {name: value for name, value in asked.items() if name not in NOT_ASKED}
    form = (call.stream, json.dumps(asked.get("stream_options"), sort_keys=True))
    return (call.route, call.workers, call.max_tokens, form, json.dumps(question, sort_keys=True))


def _fields(payload: bytes) -> dict[str, object] | None:
    try:
        asked = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return asked if isinstance(asked, dict) else None


def _deterministic(asked: dict[str, object]) -> bool:
    temperature = asked.get("temperature")
    cold = isinstance(temperature, int | float) and not isinstance(temperature, bool) and temperature == 0
    return (cold or asked.get("seed") is not None) and asked.get("n") in (None, 1)
