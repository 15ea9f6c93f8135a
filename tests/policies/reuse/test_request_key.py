"""Which calls ask the same."""

import json

import pytest

from policies.call import Call
from policies.reuse.request_key import request_key


def asked(stream=True, route="/v1/completions", **fields):
    fields = {"prompt": "hi", "temperature": 0, **fields}
    return Call(id="c", route=route, payload=json.dumps(fields).encode(), stream=stream)


def test_order_and_blanks_of_the_fields_mean_nothing():
    one = Call(id="a", payload=b'{"prompt": "hi", "seed": 1}')
    other = Call(id="b", payload=b'{ "seed":1,"prompt":"hi" }')
    assert request_key(one) == request_key(other) is not None


def test_how_and_for_whom_it_is_handed_over_is_no_part_of_the_question():
    assert request_key(asked(user="ann")) == request_key(asked(user="bob"))
    assert request_key(asked(stream_options=None)) == request_key(asked())


@pytest.mark.parametrize(
    "other",
    [
        asked(prompt="ho"),
        asked(seed=7),
        asked(max_tokens=5),
        asked(model="m"),
        asked(route="/v1/chat/completions"),
        asked(stream=False),
        asked(stream_options={"include_usage": True}),
    ],
    ids=["prompt", "seed", "length", "model", "route", "form", "usage"],
)
def test_another_question_or_another_form_of_the_answer_is_another_key(other):
    assert request_key(asked()) != request_key(other)
    assert request_key(other) is not None


def test_calls_that_may_reach_other_workers_ask_others():
    bound = Call(id="c", payload=b"chat 3", workers=frozenset({"w1"}))
    assert request_key(bound) != request_key(Call(id="c", payload=b"chat 3"))


@pytest.mark.parametrize(
    ("fields", "comparable"),
    [
        ({"temperature": 0}, True),
        ({"temperature": 0.0}, True),
        ({"temperature": 1, "seed": 0}, True),
        ({"temperature": 0, "n": 1}, True),
        ({"temperature": 0.7}, False),
        ({"temperature": None}, False),
        ({"temperature": False}, False),
        ({"temperature": "0"}, False),
        ({"temperature": 0, "n": 2}, False),
        ({"temperature": 1, "seed": None}, False),
    ],
)
def test_only_what_is_deterministic_is_comparable(fields, comparable):
    assert (request_key(asked(**fields)) is not None) is comparable


@pytest.mark.parametrize("payload", [b"chat 3", b"[1, 2]", b"7", b"\xff", b"[" * 100_000])
def test_a_payload_that_is_no_json_object_is_its_own_name(payload):
    assert (
        request_key(Call(id="a", payload=payload)) == request_key(Call(id="b", payload=payload)) is not None
    )
    longer = Call(id="a", payload=payload, max_tokens=9)
    assert request_key(longer) != request_key(Call(id="b", payload=payload))


@pytest.mark.parametrize("odd", [b"9" * 5000, b"[" * 100_000, b""], ids=["digits", "depth", "broken"])
def test_an_object_that_cannot_be_read_is_not_known_to_be_deterministic(odd):
    payload = b' {"prompt": "hi", "temperature": 0.9, "x": ' + odd + b"}"
    assert request_key(Call(id="c", payload=payload)) is None


def test_a_call_without_a_payload_asks_nothing_that_is_known():
    assert request_key(Call(id="c")) is None
