import json

import pytest

from harness.serving.openai_api import (
    CHAT,
    COMPLETIONS,
    Refusal,
    Writer,
    answer_tokens,
    error_body,
    error_status,
    read_body,
    read_error,
    read_event,
    status_outcome,
)
from policies.outcome import Kind, Outcome

FAILURES = [
    Outcome(kind=Kind.TIMEOUT, phase="first_token", cause="slow", by="timers", status=504),
    Outcome(kind=Kind.TIMEOUT, phase="connect", cause="no connection", by="worker-1"),
    Outcome(kind=Kind.REJECTED, phase="admission", cause="full", by="gateway", status=503),
    Outcome(kind=Kind.OVERLOAD, phase="queue", cause="busy", by="worker-1", status=429),
    Outcome(kind=Kind.ERROR, phase="stream", cause="broke", by="worker-1"),
    Outcome(kind=Kind.ERROR, phase="", cause="no such model", by="worker-1", status=404),
    Outcome(kind=Kind.ABANDONED, phase="attempt", cause="left", by="gateway"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f"{f.kind}-{f.phase}")
def test_a_failure_reads_back_as_it_was_written(failure: Outcome) -> None:
    read = read_error(error_body(failure), error_status(failure), by="next hop")
    assert read is not None
    assert (read.kind, read.phase, read.cause, read.by) == (
        failure.kind,
        failure.phase,
        failure.cause,
        failure.by,
    )


@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: f"{f.kind}-{f.phase}")
def test_every_failure_has_an_http_error_status(failure: Outcome) -> None:
    assert 400 <= error_status(failure) < 600
    assert error_status(failure) == (failure.status or error_status(failure))


def test_an_error_body_has_the_four_fields_of_vllm() -> None:
    error = json.loads(error_body(Outcome(kind=Kind.ERROR, phase="prompt", cause="empty", status=400)))[
        "error"
    ]
    assert (error["message"], error["type"], error["param"], error["code"]) == (
        "empty",
        "BadRequestError",
        "prompt",
        400,
    )


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, Kind.OVERLOAD),
        (503, Kind.OVERLOAD),
        (529, Kind.OVERLOAD),
        (408, Kind.TIMEOUT),
        (504, Kind.TIMEOUT),
        (500, Kind.ERROR),
        (502, Kind.ERROR),
        (400, Kind.ERROR),
    ],
)
def test_overload_codes_in_the_wild_are_told_from_errors(status: int, kind: Kind) -> None:
    assert status_outcome(status, "worker-0").kind is kind
    foreign = json.dumps({"error": {"message": "m", "type": "t", "param": None, "code": status}}).encode()
    read = read_error(foreign, status, "worker-0")
    assert read is not None
    assert (read.kind, read.by) == (kind, "worker-0")


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"detail": "x"}', b'{"error": 5}'])
def test_a_body_that_is_no_error_object_is_left_to_the_status(body: bytes) -> None:
    assert read_error(body, 500, "worker-0") is None


@pytest.mark.parametrize(
    ("route", "key"), [(COMPLETIONS, "text_completion"), (CHAT, "chat.completion.chunk")]
)
def test_only_text_counts_as_content(route: str, key: str) -> None:
    writer = Writer(route, "r1", "tiny")
    assert json.loads(writer.text("x"))["object"] == key
    assert read_event(writer.text("x"), "w0") == (1, None)
    assert read_event(writer.finish("stop"), "w0") == (0, None)
    assert read_event(writer.usage(1, 2), "w0") == (0, None)
    role = writer.role()
    assert role is None or read_event(role, "w0") == (0, None)


@pytest.mark.parametrize("route", [COMPLETIONS, CHAT])
def test_the_tokens_of_a_whole_answer_are_its_own_count_not_a_guess(route: str) -> None:
    assert answer_tokens(Writer(route, "r1", "tiny").whole("some text", "length", 3, 7)) == 7
    assert answer_tokens(b"not json") == 0
    assert answer_tokens(b"{}") == 0


def body(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def test_a_prompt_is_text_or_token_ids() -> None:
    assert read_body(COMPLETIONS, body(prompt="hi")).prompt == "hi"
    assert read_body(COMPLETIONS, body(prompt=[1, 2])).prompt == [1, 2]


def test_both_names_of_the_answer_length_are_understood() -> None:
    assert read_body(COMPLETIONS, body(prompt="x", max_tokens=5)).answer_tokens == 5
    assert read_body(COMPLETIONS, body(prompt="x", max_completion_tokens=6)).answer_tokens == 6
    assert read_body(COMPLETIONS, body(prompt="x")).answer_tokens is None


@pytest.mark.parametrize(
    ("route", "payload", "says"),
    [
        (COMPLETIONS, b"{", "bad request body"),
        (COMPLETIONS, b"[]", "bad request body"),
        (COMPLETIONS, b'{"x":' + b"[" * 100_000, "bad request body"),
        (COMPLETIONS, body(), "'prompt' is required"),
        (COMPLETIONS, body(prompt=[]), "'prompt' is required"),
        (COMPLETIONS, body(prompt="x", stream="yes"), "bad request body"),
        (COMPLETIONS, body(prompt="x", temperature=-1), "'temperature' must be 0 to 2"),
        (CHAT, body(prompt="x"), "'messages' is required"),
        (CHAT, body(messages=[]), "'messages' is required"),
        (CHAT, body(messages=[{"role": "user"}]), "bad request body"),
        (
            CHAT,
            body(messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]),
            "part of type 'image_url'",
        ),
    ],
)
def test_a_wrong_body_is_refused_with_the_field(route: str, payload: bytes, says: str) -> None:
    with pytest.raises(Refusal, match=says) as refused:
        read_body(route, payload)
    assert refused.value.status == 400


def test_the_text_parts_of_a_message_are_joined() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    (message,) = read_body(CHAT, body(messages=[{"role": "user", "content": parts}])).messages or []
    assert message.text == "one\ntwo"


def test_an_answer_nested_too_deep_to_read_is_no_error_object() -> None:
    assert read_error(b'{"x":' + b"[" * 100_000, 500, "worker-0") is None
