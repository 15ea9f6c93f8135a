"""The OpenAI-style wire format: requests read, answers and errors written.

Unknown request fields are ignored, wrong values of known ones are refused with a vLLM-shaped error body.
Only what every tier needs is read here; prompts become token ids in the worker alone.
"""

import time
from typing import Any, Literal

import msgspec

from policies.outcome import Kind, Outcome

COMPLETIONS = "/v1/completions"
CHAT = "/v1/chat/completions"
ROUTES = (COMPLETIONS, CHAT)
LOCAL = "/local"  # ours: a request that needs no worker

_encode = msgspec.json.Encoder().encode

UNREADABLE = (msgspec.DecodeError, RecursionError)  # what decoding raises; the second for deep nesting

FinishReason = Literal["stop", "length"]


class StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool = False


class Part(msgspec.Struct, frozen=True):
    """A piece of a message. Only text can be served; other types are read so that they can be refused."""

    type: str
    text: str = ""


class Message(msgspec.Struct, frozen=True):
    role: str
    content: str | list[Part]

    @property
    def text(self) -> str:
        """What it says; parts are joined by line breaks, as vLLM joins them."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content)

    @property
    def other_types(self) -> list[str]:
        """Types of the parts that are not text."""
        if isinstance(self.content, str):
            return []
        return [part.type for part in self.content if part.type != "text"]


class Asked(msgspec.Struct, frozen=True):
    """What every tier reads of a body, also one that passes it on."""

    stream: bool = False
    max_tokens: int | None = None
    max_completion_tokens: int | None = None

    @property
    def answer_tokens(self) -> int | None:
        """The bound on generated tokens that was asked for, None if none was."""
        return self.max_completion_tokens if self.max_tokens is None else self.max_tokens


class Body(Asked, frozen=True):
    """A request body, completions and chat alike. `prompt` may be text or token ids."""

    model: str | None = None
    prompt: str | list[int] | None = None
    messages: list[Message] | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    seed: int | None = None
    n: int | None = None
    priority: int = 0
    ignore_eos: bool = False

    @property
    def include_usage(self) -> bool:
        return self.stream_options is not None and self.stream_options.include_usage


class Refusal(Exception):
    """A request that cannot be served as it is; becomes an error body."""

    def __init__(self, message: str, *, status: int = 400, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.param = param

    def outcome(self, by: str) -> Outcome:
        return Outcome(kind=Kind.ERROR, phase=self.param or "", cause=str(self), by=by, status=self.status)


_body_decoder = msgspec.json.Decoder(Body)


def read_body(route: str, payload: bytes) -> Body:
    """The request. Refusal (400) says which field is wrong."""
    try:
        body = _body_decoder.decode(payload)
    except UNREADABLE as wrong:
        raise Refusal(f"bad request body: {wrong}") from wrong
    if route == COMPLETIONS and body.prompt in (None, "", []):
        raise Refusal("'prompt' is required: a text or a list of token ids", param="prompt")
    if route == CHAT and not body.messages:
        raise Refusal("'messages' is required: a list of role and content", param="messages")
    if others := [kind for message in body.messages or () for kind in message.other_types]:
        raise Refusal(f"'content' has a part of type '{others[0]}'; only 'text' is served", param="messages")
    if body.answer_tokens is not None and body.answer_tokens < 1:
        raise Refusal(f"'max_tokens' must be at least 1, got {body.answer_tokens}", param="max_tokens")
    if body.temperature is not None and not 0 <= body.temperature <= 2:
        raise Refusal(f"'temperature' must be 0 to 2, got {body.temperature}", param="temperature")
    if body.n not in (None, 1):
        raise Refusal(f"'n' must be 1, got {body.n}: send one request per answer", param="n")
    return body


class Writer:
    """Writes one answer, whole or piece by piece, as the JSON of the route it was asked on."""

    def __init__(self, route: str, request_id: str, model: str) -> None:
        self._chat = route == CHAT
        self._head = {
            "id": f"{'chatcmpl' if self._chat else 'cmpl'}-{request_id}",
            "object": self._object(),
            "created": int(time.time()),  # the wire format's calendar time, not a measurement
            "model": model,
        }

    def role(self) -> bytes | None:
        """The piece that opens a chat stream; completions have none."""
        if not self._chat:
            return None
        return self._piece({"delta": {"role": "assistant", "content": ""}}, None)

    def text(self, text: str) -> bytes:
        return self._piece({"delta": {"content": text}} if self._chat else {"text": text}, None)

    def finish(self, reason: FinishReason) -> bytes:
        return self._piece({"delta": {}} if self._chat else {"text": ""}, reason)

    def usage(self, prompt_tokens: int, completion_tokens: int) -> bytes:
        """The optional last piece of a stream."""
        return _encode({**self._head, "choices": [], "usage": _usage(prompt_tokens, completion_tokens)})

    def whole(self, text: str, reason: FinishReason, prompt_tokens: int, completion_tokens: int) -> bytes:
        """A body that does not stream."""
        said: dict[str, Any] = (
            {"message": {"role": "assistant", "content": text}} if self._chat else {"text": text}
        )
        choice = {"index": 0, **said, "logprobs": None, "finish_reason": reason}
        head = {**self._head, "object": "chat.completion" if self._chat else "text_completion"}
        return _encode({**head, "choices": [choice], "usage": _usage(prompt_tokens, completion_tokens)})

    def _object(self) -> str:
        return "chat.completion.chunk" if self._chat else "text_completion"

    def _piece(self, said: dict[str, Any], reason: FinishReason | None) -> bytes:
        return _encode(
            {**self._head, "choices": [{"index": 0, **said, "logprobs": None, "finish_reason": reason}]}
        )


def _usage(prompt_tokens: int, completion_tokens: int) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


_ERROR_TYPES = {
    400: "BadRequestError",
    404: "NotFoundError",
    405: "MethodNotAllowedError",
    408: "RequestTimeoutError",
    413: "RequestEntityTooLargeError",
    429: "RateLimitError",
    503: "ServiceUnavailableError",
    504: "GatewayTimeoutError",
}

_STATUS = {
    Kind.TIMEOUT: 504,
    Kind.ERROR: 502,
    Kind.OVERLOAD: 503,
    Kind.REJECTED: 503,
    Kind.ABANDONED: 499,
}


def error_status(outcome: Outcome) -> int:
    """The HTTP status that tells the caller of a failed outcome."""
    return outcome.status if outcome.status >= 400 else _STATUS[outcome.kind]


def error_body(outcome: Outcome) -> bytes:
    """vLLM-shaped error, with our own `outcome` beside it so that the next tier need not guess."""
    status = error_status(outcome)
    return _encode(
        {
            "error": {
                "message": outcome.cause or str(outcome.kind),
                "type": _ERROR_TYPES.get(status, "InternalServerError"),
                "param": (outcome.phase or None) if status == 400 else None,
                "code": status,
                "outcome": {"kind": outcome.kind, "phase": outcome.phase, "by": outcome.by},
            }
        }
    )


class _Delta(msgspec.Struct, frozen=True):
    content: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    text: str | None = None
    delta: _Delta | None = None


class _OutcomeNote(msgspec.Struct, frozen=True):
    kind: str = ""
    phase: str = ""
    by: str = ""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    outcome: _OutcomeNote | None = None


class _UsageRead(msgspec.Struct, frozen=True):
    completion_tokens: int = 0


class _Event(msgspec.Struct, frozen=True):
    choices: list[_Choice] = []
    usage: _UsageRead | None = None
    error: _Error | None = None


_event_decoder = msgspec.json.Decoder(_Event)


def read_event(data: bytes, by: str) -> tuple[int, Outcome | None]:
    """Content tokens of a stream event (1 or 0) and the failure it tells of, if it does.

    Other JSON shows no progress and is no failure: it is not ours to judge.
    """
    try:
        event = _event_decoder.decode(data)
    except UNREADABLE:
        return 0, None
    if event.error is not None:
        return 0, _failure(event.error, 500, by)
    for choice in event.choices:
        if choice.text or (choice.delta and choice.delta.content):
            return 1, None
    return 0, None


def answer_tokens(data: bytes) -> int:
    """Generated tokens of a whole answer, by its own usage; 0 if it does not say."""
    try:
        usage = _event_decoder.decode(data).usage
    except UNREADABLE:
        return 0
    return usage.completion_tokens if usage else 0


def read_error(data: bytes, status: int, by: str, retry_after_s: float | None = None) -> Outcome | None:
    """The outcome in an error body or error event, None if it is not one."""
    try:
        error = _event_decoder.decode(data).error
    except UNREADABLE:
        error = None
    return None if error is None else _failure(error, status, by, retry_after_s)


def _failure(error: _Error, status: int, by: str, retry_after_s: float | None = None) -> Outcome:
    kind, note = _kind(status), error.outcome
    if note is not None and note.kind in list(Kind):
        kind = Kind(note.kind)
    return Outcome(
        kind=kind,
        phase=note.phase if note else "",
        cause=error.message,
        by=(note.by if note else "") or by,
        status=status,
        retry_after_s=retry_after_s,
    )


def status_outcome(status: int, by: str, retry_after_s: float | None = None) -> Outcome:
    """The outcome of an HTTP status without a readable body."""
    cause = f"{by} answered HTTP {status}"
    return Outcome(kind=_kind(status), cause=cause, by=by, status=status, retry_after_s=retry_after_s)


def _kind(status: int) -> Kind:
    if status in (429, 503, 529):
        return Kind.OVERLOAD
    return Kind.TIMEOUT if status in (408, 504) else Kind.ERROR
