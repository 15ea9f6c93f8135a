"""Timers of one attempt, driven by hand-written sends on virtual time."""

import asyncio
import math

import pytest

from policies.call import Call, Chunk
from policies.outcome import OK, Kind
from policies.timers.timers import Timers

TOKEN = Chunk(b"x")
PING = Chunk(b": ping", tokens=0)


def now():
    return asyncio.get_running_loop().time()


def script(*steps):
    """A send that waits and delivers: numbers are seconds, chunks are pieces of the answer."""

    async def send(attempt):
        for step in steps:
            if isinstance(step, Chunk):
                attempt.deliver(step, now())
            else:
                await asyncio.sleep(step)
        return OK

    return send


async def test_an_answer_in_time_passes_untouched(make_attempt):
    timers = Timers(ttft_s=1, itl_s=1, attempt_s=10)
    assert await timers.run(make_attempt(), script(0.9, TOKEN, 0.9, TOKEN, 0.9)) is OK


# report 21: livekit/agents#6171
@pytest.mark.parametrize("noise", [PING, Chunk(b"role", tokens=0), Chunk(b"", tokens=0)])
async def test_pieces_without_content_do_not_hide_a_silent_model(make_attempt, noise):
    outcome = await Timers(ttft_s=1).run(make_attempt(), script(*[0.25, noise] * 40))
    assert (outcome.kind, outcome.phase, now()) == (Kind.TIMEOUT, "first_token", 1.0)


async def test_pieces_without_content_do_not_hide_a_stall_between_tokens(make_attempt):
    steps = [0.5, TOKEN, *[0.25, PING] * 40]
    outcome = await Timers(itl_s=1).run(make_attempt(), script(*steps))
    assert (outcome.phase, now()) == ("between_tokens", 1.5)


# report 22: litellm#19909
async def test_the_first_token_timer_fires_on_time_and_not_when_the_late_token_comes(make_attempt):
    attempt = make_attempt()
    outcome = await Timers(ttft_s=2).run(attempt, script(10, TOKEN))
    assert (outcome.phase, now(), attempt.tokens) == ("first_token", 2.0, 0)


# report 22: litellm#30337
async def test_the_gap_timer_is_off_before_the_first_token(make_attempt):
    assert await Timers(itl_s=1).run(make_attempt(), script(10, TOKEN, 0.9)) is OK


async def test_the_first_token_timer_is_off_after_the_first_token(make_attempt):
    assert await Timers(ttft_s=1).run(make_attempt(), script(0.5, TOKEN, 10, TOKEN)) is OK


async def test_the_attempt_timer_is_not_moved_by_tokens(make_attempt):
    outcome = await Timers(itl_s=1, attempt_s=2).run(make_attempt(), script(*[0.3, TOKEN] * 99))
    assert (outcome.phase, now()) == ("attempt", 2.0)


async def test_calls_that_do_not_stream_have_only_the_attempt_timer(make_attempt):
    timers = Timers(ttft_s=1, itl_s=1, attempt_s=5)
    assert await timers.run(make_attempt(stream=False), script(4, TOKEN)) is OK
    outcome = await timers.run(make_attempt(stream=False, started_s=now()), script(6))
    assert (outcome.phase, now()) == ("attempt", 9.0)
    outcome = await timers.run(make_attempt(stream=False, started_s=now()), script(1, TOKEN, 9))
    assert (outcome.phase, now()) == ("attempt", 14.0)


async def test_an_expiry_names_the_worker_and_the_bound(make_attempt):
    outcome = await Timers(ttft_s=1).run(make_attempt("w3"), script(10))
    assert outcome.cause == "first_token took longer than 1 s on w3"
    assert (outcome.by, outcome.status) == ("timeout", 504)


async def test_the_transport_learns_the_bound_on_connecting(make_attempt):
    attempt = make_attempt()
    await Timers(connect_s=2).run(attempt, script())
    assert attempt.connect_s == 2
    await Timers().run(attempt, script())
    assert attempt.connect_s is None


async def test_a_cancellation_is_not_turned_into_a_timeout(make_attempt):
    task = asyncio.create_task(Timers(ttft_s=1).run(make_attempt(), script(10)))
    await asyncio.sleep(0.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_in_the_tick_of_the_expiry_wins(make_attempt):
    task = asyncio.create_task(Timers(ttft_s=1).run(make_attempt(), script(10)))
    asyncio.get_running_loop().call_at(1.0, task.cancel)
    await asyncio.wait([task])
    assert task.cancelled()


async def test_who_was_asked_to_end_before_and_went_on_still_gets_its_timeouts(make_attempt):
    async def stubborn():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            return await Timers(ttft_s=1).run(make_attempt(started_s=now()), script(5))

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(1)
    task.cancel()
    assert (await task).phase == "first_token"
    assert (now(), task.cancelling()) == (2.0, 1)


async def test_a_timeout_of_the_transports_own_is_not_claimed(make_attempt):
    async def send(attempt):
        raise TimeoutError("someone else's")

    with pytest.raises(TimeoutError, match="someone else's"):
        await Timers(ttft_s=1).run(make_attempt(), send)


# A worker in the same process delivers from its own task, so a token and an expiry can share a tick.
async def test_a_token_in_the_tick_of_the_expiry_is_no_error(make_attempt):
    attempt = make_attempt()
    errors = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: errors.append(context))
    running = asyncio.create_task(Timers(ttft_s=1).run(attempt, script(10)))
    await asyncio.sleep(0)
    loop.call_at(1.0, attempt.deliver, TOKEN, 1.0)
    outcome = await running
    assert (outcome.kind, errors) == (Kind.TIMEOUT, [])


async def test_a_token_after_the_end_moves_no_timer(make_attempt):
    attempt = make_attempt()
    await Timers(itl_s=1).run(attempt, script(0.1, TOKEN))
    attempt.deliver(TOKEN, now())
    await asyncio.sleep(5)
    assert attempt.tokens == 2


@pytest.mark.parametrize("field", ["connect_s", "ttft_s", "itl_s", "attempt_s"])
@pytest.mark.parametrize("value", [0, -1, math.nan])
def test_a_bound_that_is_not_above_zero_is_refused(field, value):
    with pytest.raises(ValueError, match=f"timers: {field} must be a number above 0, got {value}"):
        Timers(**{field: value})


def test_content_commits_the_call_and_pings_do_not(make_attempt):
    seen = []
    attempt = make_attempt(sink=seen.append)
    attempt.deliver(PING, 1.0)
    assert not attempt.call.committed
    attempt.deliver(TOKEN, 2.0)
    assert attempt.call.committed
    assert seen == [PING, TOKEN]
    assert isinstance(attempt.call, Call)
