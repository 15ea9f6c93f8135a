import json
import math

import pytest

from harness.serving.incoming import MOST_TOKENS, read_call
from harness.serving.job import DEFAULT_MAX_TOKENS
from harness.serving.openai_api import COMPLETIONS
from policies.call import Call


def called(headers: dict[str, str] | None = None, **body: object) -> Call:
    return read_call(COMPLETIONS, headers or {}, json.dumps(body).encode(), now=100.0)


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 7}, 7),
        ({"max_tokens": 5, "max_completion_tokens": 7}, 5),  # as the worker reads it
        ({}, DEFAULT_MAX_TOKENS),
        ({"max_tokens": None}, DEFAULT_MAX_TOKENS),
        ({"max_tokens": -3}, 1),
        ({"max_tokens": 10**400}, MOST_TOKENS),
    ],
)
def test_the_longest_answer_is_what_the_worker_will_generate_at_most(body: dict, tokens: int) -> None:
    assert called(**body).max_tokens == tokens


@pytest.mark.parametrize("payload", [b"{", b'{"prompt":' + b"[" * 100_000], ids=["cut", "deep"])
def test_a_body_that_cannot_be_read_is_passed_on_all_the_same(payload: bytes) -> None:
    call = read_call(COMPLETIONS, {}, payload, now=0.0)
    assert (call.payload, call.stream, call.max_tokens) == (payload, False, DEFAULT_MAX_TOKENS)


def test_the_deadline_is_that_many_milliseconds_from_now() -> None:
    assert called({"X-Deadline-Ms": "2500"}).deadline_s == 102.5


@pytest.mark.parametrize("header", ["nan", "-inf", "inf", "1e999", "soon", "", "12s"])
def test_a_deadline_that_is_no_finite_number_is_ignored(header: str) -> None:
    assert called({"X-Deadline-Ms": header}).deadline_s == math.inf


def test_caller_id_and_pinning_are_read_from_the_headers() -> None:
    call = called({"X-Request-Id": "r1", "X-Caller": "chat", "X-Workers": "w1,w2"})
    assert (call.id, call.caller, call.workers) == ("r1", "chat", frozenset({"w1", "w2"}))


def test_what_cannot_be_sent_on_is_taken_out_of_the_headers() -> None:
    raw = b"r\xff\xfe1".decode(errors="surrogateescape")
    call = called({"X-Request-Id": raw, "X-Caller": raw, "X-Workers": raw})
    assert (call.id, call.caller, call.workers) == ("r1", "r1", frozenset({"r1"}))


def test_an_id_of_nothing_that_can_be_sent_on_is_replaced() -> None:
    assert called({"X-Request-Id": "\udcff\udcfe"}).id.isalnum()


@pytest.mark.parametrize(
    ("header", "priority"), [("0", 0), ("2", 2), ("-5", 0), ("1e9", 9), ("x", 1), ("nan", 1), ("", 1)]
)
def test_the_priority_is_read_leniently_and_within_its_range(header, priority):
    assert read_call("/v1/completions", {"X-Priority": header}, b"{}", 0.0).priority == priority


def test_the_length_of_a_prompt_is_estimated_from_its_bytes():
    assert read_call("/v1/completions", {}, b'{"prompt": "' + b"word " * 400 + b'"}', 0.0).prompt_tokens > 400
