"""How the callers of a run write their requests, with a text and without."""

from dataclasses import replace

import msgspec
import pytest

from harness.asking import counted_call, text_call
from harness.scenario import Caller
from policies.call import DEFAULT_PRIORITY

CHAT = Caller(name="chat", enters="front", rate_rps=1.0, max_tokens=16)
BOTH = pytest.mark.parametrize("compose", [text_call, counted_call])


@BOTH
def test_without_a_spread_every_answer_has_the_same_length_and_every_prompt_is_new(compose):
    calls = [compose(CHAT, f"chat-{number}", 1) for number in range(50)]
    assert {call.max_tokens for call in calls} == {16}
    assert {call.priority for call in calls} == {DEFAULT_PRIORITY}
    assert len({call.payload for call in calls if call.payload}) in (0, 50)


def test_lengths_are_those_of_the_real_run_in_the_virtual_one():
    caller = replace(CHAT, length_sigma=1.0)
    names = [f"chat-{number}" for number in range(50)]
    asked = [text_call(caller, name, 1).max_tokens for name in names]
    assert asked == [counted_call(caller, name, 1).max_tokens for name in names]
    assert asked == [msgspec.json.decode(text_call(caller, name, 1).payload)["max_tokens"] for name in names]
    assert len(set(asked)) > 10
    assert asked != [text_call(caller, name, 2).max_tokens for name in names]


@BOTH
def test_repeated_prompts_are_repeated_to_the_byte_with_the_same_length(compose):
    caller = replace(CHAT, distinct_prompts=5, length_sigma=1.0)
    calls = [compose(caller, f"chat-{number}", 1) for number in range(200)]
    lengths = {call.payload: call.max_tokens for call in calls}
    assert len(lengths) == 5
    assert all(lengths[call.payload] == call.max_tokens for call in calls)


def test_the_same_requests_repeat_in_real_and_virtual_runs():
    caller = replace(CHAT, distinct_prompts=5)
    names = [f"chat-{number}" for number in range(60)]
    real = [text_call(caller, name, 1).payload for name in names]
    virtual = [counted_call(caller, name, 1).payload for name in names]
    assert [real.index(each) for each in real] == [virtual.index(each) for each in virtual]


@BOTH
def test_a_callers_priority_is_that_of_its_requests(compose):
    assert compose(replace(CHAT, priority=2), "chat-1", 1).priority == 2
    local = Caller(name="local", enters="front", rate_rps=1.0, priority=0)
    assert compose(local, "local-1", 1).priority == 0
