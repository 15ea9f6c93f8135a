"""A text in each of the forms that a client can ask for, as our own HTTP side reads them."""

import json

import pytest

from harness.serving.openai_api import CHAT, COMPLETIONS, read_event
from policies.call import Call
from policies.fallbacks.plain_answer import plain_answer


def said(route, stream):
    pieces = plain_answer(Call(id="c", route=route, stream=stream), "Sorry")
    return pieces, [json.loads(piece.data) for piece in pieces]


@pytest.mark.parametrize("route", [COMPLETIONS, CHAT])
def test_a_stream_has_the_text_once_counts_it_once_and_ends_with_a_reason(route):
    pieces, bodies = said(route, stream=True)
    assert [piece.tokens for piece in pieces] == [read_event(piece.data, "w")[0] for piece in pieces]
    assert sum(piece.tokens for piece in pieces) == 1
    reasons = [body["choices"][0]["finish_reason"] for body in bodies]
    assert reasons == [None] * (len(bodies) - 1) + ["stop"]
    assert b"".join(piece.data for piece in pieces).count(b"Sorry") == 1


@pytest.mark.parametrize(
    ("route", "kind", "choice"),
    [
        (COMPLETIONS, "text_completion", {"text": "Sorry"}),
        (CHAT, "chat.completion", {"message": {"role": "assistant", "content": "Sorry"}}),
    ],
)
def test_without_a_stream_it_is_one_body(route, kind, choice):
    _, [body] = said(route, stream=False)
    assert body["object"] == kind
    assert body["choices"] == [{"index": 0, **choice, "finish_reason": "stop"}]


def test_a_chat_stream_begins_with_the_role_as_clients_expect():
    _, bodies = said(CHAT, stream=True)
    assert [body["choices"][0]["delta"] for body in bodies] == [
        {"role": "assistant", "content": ""},
        {"content": "Sorry"},
        {},
    ]
    assert {body["object"] for body in bodies} == {"chat.completion.chunk"}
