"""Shorter answers, then none for what matters least, and full service again by itself."""

import asyncio
import json

import pytest

from policies.call import Call
from policies.fallbacks.brownout import Brownout, cap
from policies.fallbacks.ladder import Step
from policies.outcome import OK, Kind, Outcome
from policies.reuse.answers import worth_keeping

FAILED = Outcome(kind=Kind.ERROR, status=500)


class Behind:
    """What lies behind: the given share of calls fails; remembers how long answers might be."""

    def __init__(self):
        self.failing_of_ten = 0
        self.lengths = []

    async def __call__(self, call):
        self.lengths.append(call.max_tokens)
        return FAILED if len(self.lengths) % 10 < self.failing_of_ten else OK


class Load:
    """Five calls a second through a brownout."""

    def __init__(self, **parameters):
        self.layer = Brownout(**parameters)
        self.behind = Behind()

    async def ask(self, calls=1, **fields):
        outcomes = []
        for _ in range(calls):
            call = Call(id="c", **{"max_tokens": 200, **fields})
            outcomes.append(await self.layer.run(call, self.behind))
            await asyncio.sleep(0.2)
        return outcomes


async def test_while_calls_go_well_nothing_is_taken_back():
    load = Load()
    assert await load.ask(100, priority=9) == [OK] * 100
    assert set(load.behind.lengths) == {200}


async def test_above_the_first_bound_answers_are_shorter_and_say_so():
    load = Load()
    load.behind.failing_of_ten = 2
    await load.ask(60)
    outcomes = await load.ask(10, priority=9)
    assert (load.layer.step, load.behind.lengths[-10:]) == (Step.CAPPED, [64] * 10)
    told = [(o.kind, o.phase, o.by) for o in outcomes if o.answered]
    assert told == [(Kind.OK, "brownout", "brownout")] * 8
    assert not any(worth_keeping(outcome) for outcome in outcomes)
    assert (await load.ask(2, max_tokens=64))[1] is OK, "an answer that is short anyway is whole"


async def test_above_the_second_bound_what_matters_least_is_refused_with_a_time_to_come_again():
    load = Load()
    load.behind.failing_of_ten = 6
    await load.ask(60)
    before = len(load.behind.lengths)
    [refused] = await load.ask(1, priority=2)
    assert (refused.kind, refused.status, refused.by) == (Kind.REJECTED, 503, "brownout")
    assert refused.retry_after_s == 10.0
    assert len(load.behind.lengths) == before
    [served] = await load.ask(1, priority=1)
    assert served.by != "brownout" or served.answered
    assert len(load.behind.lengths) == before + 1


async def test_its_own_refusals_do_not_count_against_the_service():
    load = Load(min_calls=5)
    load.behind.failing_of_ten = 10
    await load.ask(30)
    load.behind.failing_of_ten = 0
    for _ in range(60):
        await load.ask(1, priority=1)
        await load.ask(1, priority=2)
    assert load.layer.step is Step.FULL


async def test_it_heals_by_itself_when_calls_go_well_again():
    load = Load()
    load.behind.failing_of_ten = 8
    await load.ask(60)
    assert load.layer.step is Step.REFUSING
    load.behind.failing_of_ten = 0
    await load.ask(60)
    assert load.layer.step is Step.FULL
    assert (await load.ask(1, priority=9), load.behind.lengths[-1]) == ([OK], 200)


async def test_it_heals_even_if_everything_that_comes_would_be_refused():
    load = Load()
    load.behind.failing_of_ten = 10
    await load.ask(60, priority=3)
    load.behind.failing_of_ten = 0
    outcomes = await load.ask(60, priority=3)
    assert outcomes[-1] is OK


async def test_a_stand_in_from_further_in_is_no_good_answer():
    layer = Brownout(min_calls=5)

    async def stand_in(call):
        return Outcome(kind=Kind.OK, phase="fallback", by="fallback", status=200)

    for _ in range(10):
        outcome = await layer.run(Call(id="c", max_tokens=200), stand_in)
    assert layer.step is Step.REFUSING
    assert outcome.by == "fallback"


async def test_bad_requests_and_callers_who_left_are_no_pressure():
    layer = Brownout(min_calls=5)

    async def theirs(call):
        return Outcome(kind=Kind.ERROR, status=400) if call.id == "bad" else Outcome(kind=Kind.ABANDONED)

    for name in ("bad", "gone") * 20:
        await layer.run(Call(id=name), theirs)
    assert layer.step is Step.FULL


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b'{"prompt": "hi", "max_tokens": 200}', {"prompt": "hi", "max_tokens": 64}),
        (b'{"max_completion_tokens": 200}', {"max_completion_tokens": 64}),
        (
            b'{"max_tokens": 200, "max_completion_tokens": 10}',
            {"max_tokens": 64, "max_completion_tokens": 10},
        ),
        (b'{"prompt": "hi"}', {"prompt": "hi", "max_tokens": 64}),
        (b'{"max_tokens": null}', {"max_tokens": 64}),
    ],
)
def test_the_payload_asks_for_as_little_as_the_call(payload, expected):
    call = Call(id="c", max_tokens=200, payload=payload)
    assert cap(call, 64)
    assert (call.max_tokens, json.loads(call.payload)) == (64, expected)


@pytest.mark.parametrize("payload", [b"", b"chat 3", b"[200]", b"\xff", b"[" * 100_000])
def test_a_payload_that_says_nothing_in_json_stays_as_it_is(payload):
    call = Call(id="c", max_tokens=200, payload=payload)
    assert cap(call, 64)
    assert (call.max_tokens, call.payload) == (64, payload)


def test_an_answer_that_is_short_anyway_is_left_alone():
    call = Call(id="c", max_tokens=64, payload=b'{"max_tokens":64}')
    assert not cap(call, 64)
    assert call.payload == b'{"max_tokens":64}'


def test_the_bounds_are_in_order():
    with pytest.raises(ValueError, match=r"refuse_above_ratio must be a number at least 0\.4 and at most 1"):
        Brownout(cap_above_ratio=0.4, refuse_above_ratio=0.3)
