"""The client's bounds together: on each attempt, and on the whole call whatever attempts it makes."""

import asyncio
import math

import pytest

from policies.assembly import assemble
from policies.call import Call, Chunk
from policies.notation import parse
from policies.outcome import OK, Kind
from policies.timers.deadline import Deadline
from policies.timers.timeout import Timeout

TOKEN = Chunk(b"x")
PING = Chunk(b": ping", tokens=0)
WORKERS = ("w0", "w1", "w2")


def now():
    return asyncio.get_running_loop().time()


def script(*steps):
    """A worker that waits and delivers: numbers are seconds, chunks are pieces of the answer."""

    async def send(attempt):
        sent.append((attempt.worker, now()))
        for step in steps:
            if isinstance(step, Chunk):
                attempt.deliver(step, now())
            else:
                await asyncio.sleep(step)
        return OK

    sent = []
    send.sent = sent
    return send


async def run(text, send, **call):
    return await assemble(parse(text)).over(WORKERS, send).run(Call(id="c", **call))


@pytest.mark.parametrize(
    ("steps", "phase", "ended_s"),
    [
        ([1000], "first_token", 10.0),
        ([9, TOKEN, 1000], "between_tokens", 14.0),
        ([9, *[TOKEN, 4] * 100], "total", 120.0),
    ],
)
async def test_as_it_comes_it_bounds_first_token_gaps_and_the_whole(steps, phase, ended_s):
    outcome = await run("timeout()", script(*steps))
    assert (outcome.kind, outcome.phase, now()) == (Kind.TIMEOUT, phase, ended_s)


async def test_an_answer_within_all_bounds_passes():
    assert await run("timeout()", script(9, TOKEN, 4, TOKEN)) is OK


# report 21: livekit/agents#6171
@pytest.mark.parametrize("noise", [PING, Chunk(b"role", tokens=0), Chunk(b"", tokens=0)])
async def test_pings_and_empty_deltas_for_ever_do_not_hide_a_silent_model(noise):
    outcome = await run("timeout(ttft=2)", script(*[0.5, noise] * 1000))
    assert (outcome.phase, now()) == ("first_token", 2.0)


# report 21: livekit/agents#6171
async def test_a_timer_on_bytes_is_fooled_by_pings_for_ever_and_only_the_total_ends_it():
    outcome = await run("timeout(ttft=2, itl=1, content_only=false)", script(*[0.5, PING] * 1000))
    assert (outcome.phase, now()) == ("total", 120.0)


async def test_a_timer_on_bytes_still_sees_a_worker_that_sends_none():
    outcome = await run("timeout(ttft=2, content_only=false)", script(1000))
    assert (outcome.phase, now()) == ("first_token", 2.0)
    outcome = await run("timeout(ttft=2, itl=1, content_only=false)", script(0.5, PING, 1000))
    assert (outcome.phase, now()) == ("between_tokens", 3.5)


# report 22: litellm#19909
async def test_the_bound_on_the_first_token_fires_on_time_and_not_when_the_late_token_comes():
    outcome = await run("timeout(ttft=2)", script(10, TOKEN))
    assert (outcome.kind, outcome.phase, now()) == (Kind.TIMEOUT, "first_token", 2.0)


# report 22: litellm#30337
async def test_the_bound_on_gaps_is_off_before_the_first_token():
    assert await run("timeout(ttft=inf, itl=1)", script(10, TOKEN, 0.9, TOKEN)) is OK


async def test_long_answers_get_more_time_in_all():
    text = "timeout(ttft=inf, itl=inf, total=2, per_token=0.1)"
    outcome = await run(text, script(1000), max_tokens=50)
    assert (outcome.phase, now()) == ("total", 7.0)
    began_s = now()
    await run(text, script(1000), max_tokens=1)
    assert now() - began_s == pytest.approx(2.1)


async def test_the_total_holds_over_all_attempts_together():
    send = script(1000)
    outcome = await run("timeout(ttft=4, total=10) | retry(max_attempts=5, initial=0) | round_robin()", send)
    assert (outcome.kind, outcome.phase, now()) == (Kind.TIMEOUT, "total", 10.0)
    assert send.sent == [("w0", 0.0), ("w1", 4.0), ("w2", 8.0)]


async def test_a_total_that_runs_out_between_attempts_makes_no_further_one():
    send = script(1000)
    outcome = await run("timeout(ttft=5, total=5) | retry(max_attempts=5, initial=0)", send)
    assert (outcome.kind, len(send.sent), now()) == (Kind.TIMEOUT, 1, 5.0)


async def test_a_policy_may_set_a_closer_bound_for_one_attempt_but_no_wider_one(make_attempt):
    for own_s, ended_s in ((0.5, 0.5), (3.0, 2.0)):
        attempt = make_attempt(started_s=now())
        attempt.ttft_s = own_s
        outcome = await Timeout(ttft_s=2).run(attempt, script(10, TOKEN))
        assert (outcome.phase, now() - attempt.started_s) == ("first_token", ended_s)
        assert f"{ended_s:g} s" in outcome.cause


def test_it_brings_a_deadline_unless_the_whole_is_not_bounded():
    assert Timeout().brings() == (Deadline(total_s=120.0, reserve_s=0.0),)
    assert Timeout(total_s=math.inf).brings() == ()
    assert Timeout(total_s=9, per_token_s=0.5).brings() == (
        Deadline(total_s=9, per_token_s=0.5, reserve_s=0.0),
    )


async def test_a_total_shorter_than_any_answer_still_refuses_nothing_unsent():
    send = script(1000)
    await run("timeout(total=0.01)", send)
    assert (len(send.sent), now()) == (1, 0.01)


@pytest.mark.parametrize(("field", "value"), [("total_s", 0), ("per_token_s", -1), ("total_s", math.nan)])
def test_bounds_on_the_whole_out_of_range_are_refused(field, value):
    with pytest.raises(ValueError, match=f"timeout: {field} must be"):
        Timeout(**{field: value})


async def test_the_transport_is_told_how_long_connecting_may_take(make_attempt):
    attempt = make_attempt()
    await Timeout(connect_s=0.7).run(attempt, script(0))
    assert attempt.connect_s == 0.7
