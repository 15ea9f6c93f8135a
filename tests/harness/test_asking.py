"""How the callers of a run write their requests, with a text and without, and how they leave."""

import asyncio
from dataclasses import replace

import msgspec
import pytest

from harness.asking import Asker, counted_call, text_call
from harness.clock import run_virtual
from harness.judging.history import Ended, History
from harness.judging.requests import join
from harness.load.callers import Planned
from harness.scenario import Caller, Scenario
from harness.serving.recorder import Recorder
from policies.call import DEFAULT_PRIORITY, Call, Chunk
from policies.outcome import OK, Outcome

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


def asked_once(caller: Caller, first_token_s: float, whole_s: float) -> History:
    """One request to a service that says one token and later ends the answer."""

    async def serve(call: Call) -> Outcome:
        await asyncio.sleep(first_token_s)
        call.sink(Chunk(b"x"))
        await asyncio.sleep(whole_s - first_token_s)
        return OK

    async def ask() -> History:
        history = History()
        recorder = Recorder(history)
        recorder.start()
        scenario = Scenario(name="x", meaning="", fault=None, expects={}, callers=(caller,))
        asker = Asker(scenario, 1, recorder, {"front": serve}, counted_call)
        await asker.ask(Planned(0.0, caller.name, 0))
        return history

    return run_virtual(ask())


def test_who_hangs_up_by_itself_is_satisfied_with_what_came_until_then():
    history = asked_once(replace(CHAT, leaves_after_s=2.0), first_token_s=0.5, whole_s=9.0)
    (ended,) = history.of(Ended)
    assert (ended.kind, ended.phase, ended.tokens, ended.satisfied) == ("abandoned", "reading", 1, True)
    assert ended.at_s == pytest.approx(2.0)
    assert join(history)[0].answered


def test_who_hangs_up_before_anything_came_has_no_answer():
    history = asked_once(replace(CHAT, leaves_after_s=2.0), first_token_s=3.0, whole_s=9.0)
    (ended,) = history.of(Ended)
    assert (ended.kind, ended.tokens, ended.satisfied) == ("abandoned", 0, False)
    assert not join(history)[0].answered


def test_who_has_the_whole_answer_in_time_does_not_hang_up():
    for caller in (CHAT, replace(CHAT, leaves_after_s=10.0)):
        (ended,) = asked_once(caller, first_token_s=0.5, whole_s=9.0).of(Ended)
        assert (ended.kind, ended.satisfied) == ("ok", False)
