"""What is worth another attempt, when, where, and how often."""

import asyncio
import random
from itertools import pairwise

import pytest
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

from policies.assembly import amplification, assemble
from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.pickers.round_robin import RoundRobin
from policies.pipeline import Pipeline
from policies.retries.retry import Retry, retryable
from policies.retries.retry_budget import RetryBudget
from policies.reuse.cache_exact import CacheExact
from policies.timers.deadline import Deadline
from policies.timers.timers import Timers

FAILED = Outcome(kind=Kind.ERROR, status=500)
WORKERS = ("w0", "w1", "w2")


def now():
    return asyncio.get_running_loop().time()


class Script:
    """Attempts that end as listed, the last one for ever; remembers when each began."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.began = []

    async def __call__(self, call):
        self.began.append(now())
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (OK, False),
        (Outcome(kind=Kind.SLOW), False),
        (Outcome(kind=Kind.TIMEOUT, phase="first_token"), True),
        (Outcome(kind=Kind.TIMEOUT, phase="attempt"), True),
        (Outcome(kind=Kind.TIMEOUT, phase="total"), False),
        (Outcome(kind=Kind.ERROR), True),
        (Outcome(kind=Kind.ERROR, status=502), True),
        (Outcome(kind=Kind.ERROR, status=400), False),
        (Outcome(kind=Kind.OVERLOAD, status=429), True),
        (Outcome(kind=Kind.REJECTED, status=503), False),
        (Outcome(kind=Kind.ABANDONED), False),
    ],
)
def test_only_failures_that_another_attempt_could_mend_are_retried(outcome, expected):
    assert retryable(outcome) is expected


async def test_the_first_success_ends_it():
    attempts = Script(FAILED, OK)
    assert await Retry(max_attempts=5).run(Call(id="c"), attempts) is OK
    assert len(attempts.began) == 2


@pytest.mark.parametrize("max_attempts", [1, 2, 5])
async def test_no_more_attempts_than_allowed_and_the_last_outcome_stands(max_attempts):
    attempts = Script(FAILED)
    assert await Retry(max_attempts=max_attempts).run(Call(id="c"), attempts) is FAILED
    assert len(attempts.began) == max_attempts


async def test_calls_at_the_same_time_have_their_own_count():
    retry = Retry(max_attempts=3)
    scripts = [Script(*[FAILED] * failures, OK) for failures in (0, 1, 2, 9)]
    outcomes = await asyncio.gather(*(retry.run(Call(id="c"), script) for script in scripts))
    assert [len(script.began) for script in scripts] == [1, 2, 3, 3]
    assert outcomes == [OK, OK, OK, FAILED]


async def test_waits_are_full_jitter_from_the_calls_own_chance():
    retry = Retry(max_attempts=4, initial_s=1, multiplier=2, max_s=3)
    attempts = Script(FAILED)
    await retry.run(Call(id="c", seed="7"), attempts)
    same = random.Random("7")
    waits = [b - a for a, b in zip(attempts.began, attempts.began[1:], strict=False)]
    assert waits == pytest.approx([same.uniform(0, 1), same.uniform(0, 2), same.uniform(0, 3)])


@pytest.mark.parametrize(
    ("jitter", "waits"), [("off", [1, 2, 3, 3]), ("decorrelated", [3, 3, 3, 3]), ("equal", [1, 2, 3, 3])]
)
async def test_waits_follow_the_formula_that_was_asked_for(jitter, waits):
    """Each draw at its upper end."""
    attempts, call = Script(FAILED), Call(id="c")
    call._rng = random.Random()
    call._rng.uniform = lambda _, high: high
    await Retry(max_attempts=5, initial_s=1, multiplier=2, max_s=3, jitter=jitter).run(call, attempts)
    assert [b - a for a, b in pairwise(attempts.began)] == waits


async def test_a_decorrelated_wait_grows_from_the_one_before_and_not_from_what_the_far_side_asked_for():
    busy = Outcome(kind=Kind.OVERLOAD, status=429, retry_after_s=50.0)
    attempts, call = Script(busy, FAILED), Call(id="c")
    call._rng = random.Random()
    call._rng.uniform = lambda _, high: high
    await Retry(max_attempts=3, initial_s=1, max_s=100, jitter="decorrelated").run(call, attempts)
    assert attempts.began == [0, 50, 50 + 9]


def test_the_wait_has_an_upper_end_however_many_attempts_were_made():
    assert Retry(initial_s=1, multiplier=2, max_s=30).backoff_s(10**6) == 30


async def test_waits_at_least_as_long_as_the_far_side_asked_for():
    busy = Outcome(kind=Kind.OVERLOAD, status=429, retry_after_s=4.0)
    attempts = Script(busy, OK)
    await Retry().run(Call(id="c"), attempts)
    assert attempts.began == [0.0, 4.0]


async def test_never_sleeps_past_the_deadline():
    busy = Outcome(kind=Kind.OVERLOAD, status=503, retry_after_s=4.0)
    assert await Retry().run(Call(id="c", deadline_s=4.0), Script(busy)) is busy
    assert now() == 0.0


# a retry after the first token repeats text that the caller has already read
# report 23: livekit/agents#1298
async def test_an_answer_that_broke_off_after_tokens_is_not_repeated_and_costs_no_budget():
    async def break_off(attempt):
        for _ in range(40):
            attempt.deliver(Chunk(b"x"), now())
        return Outcome(kind=Kind.ERROR, cause="stream broke")

    read = []
    call, budget = Call(id="c", sink=read.append), RetryBudget(mode="aws")
    outcome = await Pipeline(layers=(budget, Retry())).over(WORKERS, break_off).run(call)
    assert (outcome.kind, call.attempts, call.committed, len(read)) == (Kind.ERROR, 1, True, 40)
    assert budget.rule.left == 500


async def test_a_client_that_does_not_look_at_what_it_has_said_repeats_it():
    async def break_off(attempt):
        attempt.deliver(Chunk(b"x"), now())
        return Outcome(kind=Kind.ERROR, cause="stream broke")

    read = []
    call, retry = Call(id="c", sink=read.append), Retry(before_commit=False)
    await Pipeline(layers=(retry,)).over(WORKERS, break_off).run(call)
    assert (call.attempts, len(read)) == (2, 2)


@pytest.mark.parametrize(("begun", "repeated"), [(True, [b"be", b"all"]), (False, [b"all"])])
async def test_an_answer_after_text_that_broke_off_says_so_and_no_cache_repeats_it(begun, repeated):
    async def break_off_first(attempt):
        if begun or attempt.number > 1:
            attempt.deliver(Chunk(b"be" if attempt.number == 1 else b"all"), now())
        return FAILED if attempt.number == 1 else OK

    cache = CacheExact()
    bound = Pipeline(layers=(cache, Retry(before_commit=False))).over(WORKERS, break_off_first)
    for _ in range(2):
        read = []
        call = Call(id="c", payload=b"q", sink=lambda chunk, read=read: read.append(chunk.data))
        outcome = await bound.run(call)
        assert (outcome.kind, outcome.phase, read) == (Kind.OK, "retry" if begun else "", repeated)
    assert cache.hits == (0 if begun else 1)


@pytest.mark.parametrize(("other_worker", "used"), [(True, ["w0", "w1", "w2"]), (False, ["w0", "w0", "w0"])])
async def test_another_attempt_goes_to_another_worker_if_so_wished(other_worker, used):
    sent = []

    async def fail(attempt):
        sent.append(attempt.worker)
        return FAILED

    retry = Retry(max_attempts=3, other_worker=other_worker)
    await Pipeline(layers=(retry,)).over(WORKERS, fail).run(Call(id="c"))
    assert sent == used


# 30 s became 91 s, all on the same silent server
# report 19: openai-python#3828
async def test_a_silent_worker_costs_no_more_than_the_deadline_and_the_next_attempt_goes_elsewhere():
    sent = []

    async def silent(attempt):
        sent.append((attempt.worker, now()))
        await asyncio.sleep(1e6)

    pipeline = Pipeline(
        layers=(Deadline(total_s=30), Retry(max_attempts=3)),
        picker=RoundRobin(),
        timers=Timers(ttft_s=20),
    )
    outcome = await pipeline.over(WORKERS, silent).run(Call(id="c"))
    assert (outcome.kind, outcome.phase, now()) == (Kind.TIMEOUT, "total", 30.0)
    assert [worker for worker, _ in sent] == ["w0", "w1"]


# report 19: openai-python#3828
async def test_without_a_total_bound_and_on_the_same_worker_the_waits_add_up_as_reported():
    async def silent(attempt):
        await asyncio.sleep(1e6)

    retry = Retry(max_attempts=3, initial_s=0.5, jitter="off", other_worker=False)
    call = Call(id="c")
    await Pipeline(layers=(retry,), timers=Timers(ttft_s=30)).over(WORKERS, silent).run(call)
    assert (call.attempts, call.last_worker, now()) == (3, "w0", 91.5)


# a catch-all predicate takes a cancellation for a failure and tries again
# report 2: tenacity#529
async def test_a_cancellation_passes_at_once_where_tenacity_alone_would_try_again():
    tried = []

    async def hang(*_):
        tried.append(now())
        await asyncio.sleep(10)

    async def raw():
        async for attempt in AsyncRetrying(
            stop=stop_after_attempt(3), retry=retry_if_exception(lambda e: True)
        ):
            with attempt:
                await hang()

    flawed = asyncio.create_task(raw())
    ours = asyncio.create_task(Retry(max_attempts=5).run(Call(id="c"), hang))
    await asyncio.sleep(1)
    ours.cancel()
    flawed.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert ours.cancelled()
    assert len(tried) == 3, "tenacity alone has begun its second attempt, ours has not"
    await flawed
    assert not flawed.cancelled()


async def test_a_cancellation_during_the_wait_passes_at_once():
    attempts = Script(Outcome(kind=Kind.OVERLOAD, retry_after_s=100.0))
    task = asyncio.create_task(Retry().run(Call(id="c"), attempts))
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.wait([task])
    assert (task.cancelled(), len(attempts.began), now()) == (True, 1, 1.0)


async def test_a_bug_further_in_is_not_retried_and_not_hidden():
    tried = []

    async def broken(call):
        tried.append(1)
        raise KeyError("bug")

    with pytest.raises(KeyError):
        await Retry(max_attempts=5).run(Call(id="c"), broken)
    assert len(tried) == 1


# report 20: nanobot#2760
def test_two_stacked_layers_of_retries_are_refused_with_what_they_would_come_to():
    with pytest.raises(ValueError, match=r"3 x 4 = 12.*ask for it: retry\(stacked=true\)"):
        assemble([Retry(max_attempts=3), Retry(max_attempts=4)])


# report 20: nanobot#2760
async def test_stacked_on_purpose_they_multiply_and_the_call_counts_what_was_predicted():
    async def fail(attempt):
        return FAILED

    call = Call(id="c")
    pipeline = assemble([Retry(max_attempts=3), Retry(max_attempts=4, stacked=True)])
    await pipeline.over(WORKERS, fail).run(call)
    assert call.attempts == amplification(pipeline.drivers) == 12


def test_an_unknown_jitter_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="jitter must be one of full, off, equal, decorrelated, got 'half'"):
        Retry(jitter="half")
