"""Something instead of nothing, said to be what it is, and hiding no failure."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.clock import run_virtual
from harness.judging.requests import ANSWERED
from policies.breakers.breaker_window import BreakerWindow
from policies.call import Call, Chunk
from policies.fallbacks.fallback import NOTICE, Fallback
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.reuse.cache_exact import CacheExact
from policies.timers.deadline import Deadline

FAILED = Outcome(kind=Kind.ERROR, status=500, cause="broke")
ANSWER = [Chunk(b"one"), Chunk(b"two")]


def now():
    return asyncio.get_running_loop().time()


class Worker:
    """Says `pieces` and ends as told, a second after it was asked."""

    def __init__(self, outcome=OK, pieces=ANSWER):
        self.outcome = outcome
        self.pieces = pieces
        self.sent = 0

    async def __call__(self, call):
        self.sent += 1
        await asyncio.sleep(1)
        for piece in self.pieces:
            call.committed = call.committed or piece.tokens > 0
            call.sink(piece)
        return self.outcome

    def fail(self, outcome=FAILED):
        self.outcome, self.pieces = outcome, []


async def ask(layer, worker, payload=b"q", **fields):
    heard = []
    call = Call(id="c", payload=payload, sink=heard.append, **fields)
    return await layer.run(call, worker), heard, call


@pytest.mark.parametrize(
    "outcome",
    [
        FAILED,
        Outcome(kind=Kind.TIMEOUT, phase="first_token"),
        Outcome(kind=Kind.TIMEOUT, phase="total"),
        Outcome(kind=Kind.OVERLOAD, status=503),
        Outcome(kind=Kind.REJECTED, status=503),
    ],
    ids=lambda outcome: f"{outcome.kind} {outcome.phase}",
)
async def test_a_call_that_failed_gets_the_notice_and_the_outcome_says_so(outcome):
    worker = Worker(outcome, [])
    outcome, heard, call = await ask(Fallback(), worker)
    assert (outcome.kind, outcome.phase, outcome.by, outcome.status) == (Kind.OK, "fallback", "fallback", 200)
    assert json.loads(heard[0].data)["choices"][0]["text"] == NOTICE
    assert (call.committed, worker.sent) == (True, 1)
    assert outcome.kind in ANSWERED, "reports take it for an answer, and can tell it by its phase"


async def test_the_cause_of_the_failure_is_still_told():
    outcome, _, _ = await ask(Fallback(), Worker(FAILED, []))
    assert outcome.cause == "stands in for: broke"


@pytest.mark.parametrize("outcome", [OK, Outcome(kind=Kind.SLOW)])
@pytest.mark.parametrize("pieces", [ANSWER, []])
async def test_an_answer_passes_as_it_is_an_empty_one_too(outcome, pieces):
    ended, heard, _ = await ask(Fallback(), Worker(outcome, pieces))
    assert (ended, heard) == (outcome, pieces)


@pytest.mark.parametrize("outcome", [Outcome(kind=Kind.ERROR, status=400), Outcome(kind=Kind.ABANDONED)])
async def test_the_callers_own_fault_is_not_covered_up_and_nobody_is_answered_who_left(outcome):
    assert (await ask(Fallback(), Worker(outcome, [])))[:2] == (outcome, [])


async def test_text_that_was_begun_is_not_followed_by_another():
    outcome, heard, _ = await ask(Fallback(), Worker(FAILED, ANSWER[:1]))
    assert (outcome, heard) == (FAILED, ANSWER[:1])


async def test_the_latest_answer_to_the_same_request_is_better_than_a_notice_however_old():
    fallback, worker = Fallback(), Worker()
    await ask(fallback, worker)
    worker.pieces = [Chunk(b"newer")]
    await ask(fallback, worker)
    await asyncio.sleep(1e6)
    worker.fail()
    outcome, heard, _ = await ask(fallback, worker)
    assert (outcome.phase, heard) == ("fallback", [Chunk(b"newer")])
    _, heard, _ = await ask(fallback, worker, b"another")
    assert NOTICE.encode() in heard[0].data


async def test_without_stale_answers_the_notice_is_all_there_is():
    fallback, worker = Fallback(stale=False), Worker()
    await ask(fallback, worker)
    worker.fail()
    _, heard, _ = await ask(fallback, worker)
    assert NOTICE.encode() in heard[0].data


async def test_without_a_text_a_call_that_nothing_old_fits_fails_as_it_failed():
    fallback, worker = Fallback(text=""), Worker(FAILED, [])
    assert (await ask(fallback, worker))[:2] == (FAILED, [])


async def test_a_stand_in_never_becomes_an_old_answer_itself():
    cache, fallback, worker = CacheExact(), Fallback(), Worker(FAILED, [])
    bound = Pipeline(layers=(cache, fallback)).over(["w0"], lambda attempt: worker(attempt.call))
    await bound.run(Call(id="c", payload=b"q"))
    worker.outcome, worker.pieces = OK, ANSWER
    assert await bound.run(Call(id="c", payload=b"q")) is OK
    assert cache.hits == 0


async def test_stand_ins_that_take_a_while_have_a_bulkhead_of_their_own():
    fallback, worker = Fallback(takes_s=5, max_concurrent=2), Worker(FAILED, [])
    asked = await asyncio.gather(*(ask(fallback, worker, str(i).encode()) for i in range(5)))
    assert [outcome.kind for outcome, _, _ in asked] == [Kind.OK] * 2 + [Kind.ERROR] * 3
    assert now() == 6.0
    assert (await ask(fallback, worker))[0].phase == "fallback"


async def test_a_caller_who_leaves_while_a_stand_in_is_fetched_gives_the_place_back():
    fallback, worker = Fallback(takes_s=5, max_concurrent=1), Worker(FAILED, [])
    task = asyncio.create_task(ask(fallback, worker))
    await asyncio.sleep(3)
    task.cancel()
    await asyncio.wait([task])
    assert (await ask(fallback, worker))[0].phase == "fallback"


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans(), st.integers(0, 20)), max_size=30),
    st.integers(1, 3),
)
def test_no_place_is_lost_or_invented_whoever_leaves_when(events, places):
    async def play():
        fallback, worker, tasks = Fallback(takes_s=2, max_concurrent=places), Worker(FAILED, []), []
        for pause_s, comes, which in events:
            await asyncio.sleep(pause_s)
            if comes:
                tasks.append(asyncio.create_task(ask(fallback, worker, b"%d" % len(tasks))))
            elif tasks:
                tasks[which % len(tasks)].cancel()
            assert 0 <= fallback._in_use.places <= places
        if tasks:
            await asyncio.wait(tasks)
        assert fallback._in_use.places == 0
        kinds = {task.result()[0].kind for task in tasks if not task.cancelled()}
        assert kinds <= {Kind.OK, Kind.ERROR}

    run_virtual(play())


async def test_the_workers_failure_reaches_the_breaker_behind_it():
    async def fail(attempt):
        return FAILED

    breaker = BreakerWindow()
    bound = Pipeline(layers=(Fallback(), Deadline())).over(["w0"], fail)
    assert bound.describe(0.0) == {}
    bound = Pipeline(layers=(Fallback(),), gates=(breaker,)).over(["w0"], fail)
    outcomes = [await bound.run(Call(id="c")) for _ in range(20)]
    assert {outcome.phase for outcome in outcomes} == {"fallback"}
    assert breaker.weight("w0", now()) == 0


async def test_a_call_that_ran_out_of_time_is_answered_at_its_deadline():
    async def hang(attempt):
        await asyncio.sleep(100)

    bound = Pipeline(layers=(Fallback(), Deadline(total_s=3))).over(["w0"], hang)
    outcome = await bound.run(Call(id="c"))
    assert (outcome.phase, now()) == ("fallback", 3.0)


@pytest.mark.parametrize("text", [1, None, True, ("a",)])
def test_a_text_is_a_text(text):
    with pytest.raises(ValueError, match=r"^fallback: text must be a text, got"):
        Fallback(text=text)
