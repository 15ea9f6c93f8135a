"""One answer for all who ask the same: no piece lost or told twice, and nobody's leaving felt by another."""

import asyncio
import gc
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.clock import run_virtual
from policies.call import Call, Chunk
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Observer
from policies.reuse.single_flight import SingleFlight
from policies.timers.deadline import Deadline

FAILED = Outcome(kind=Kind.ERROR, status=500, by="w0")
BAD_REQUEST = Outcome(kind=Kind.ERROR, status=400, by="w0")
PIECES = 5
PIECE_S = 0.5


def now():
    return asyncio.get_running_loop().time()


class Work:
    """What is shared: a piece each half second, then an ending; `script` has these for each attempt."""

    def __init__(self, *script):
        self.script = list(script)
        self.began = []
        self.running = 0

    async def __call__(self, call):
        number = len(self.began)
        pieces, outcome = self.script[min(number, len(self.script) - 1)] if self.script else (PIECES, OK)
        self.began.append(now())
        self.running += 1
        try:
            for index in range(pieces):
                await asyncio.sleep(PIECE_S)
                call.committed = True
                call.sink(Chunk(f"{number}.{index}".encode()))
            await asyncio.sleep(PIECE_S)
            return outcome
        finally:
            self.running -= 1


class Asker:
    """One call, what it heard and when, and how it ended."""

    def __init__(self, layer, work, payload=b"q", **call):
        self.heard = []
        self.call = Call(id="c", payload=payload, sink=self._hear, **call)
        self.task = asyncio.create_task(layer.run(self.call, work))

    def _hear(self, chunk):
        self.heard.append((now(), chunk.data.decode()))

    @property
    def texts(self):
        return [text for _, text in self.heard]


def whole(number, pieces=PIECES):
    return [f"{number}.{index}" for index in range(pieces)]


def others():
    return asyncio.all_tasks() - {asyncio.current_task()}


async def test_calls_that_ask_the_same_share_one_answer_as_it_comes():
    layer, work = SingleFlight(), Work()
    leader, follower = Asker(layer, work), Asker(layer, work)
    assert await leader.task is OK
    outcome = await follower.task
    assert (outcome.kind, outcome.by) == (Kind.OK, "single_flight")
    assert leader.heard == follower.heard == [(0.5 * (i + 1), f"0.{i}") for i in range(PIECES)]
    assert (work.began, layer.in_flight, others()) == ([0.0], 0, set())
    assert leader.call.committed
    assert follower.call.committed


async def test_who_comes_late_first_gets_what_came_so_far():
    layer, work = SingleFlight(), Work()
    Asker(layer, work)
    await asyncio.sleep(1.2)
    late = Asker(layer, work)
    await late.task
    assert late.heard[:3] == [(1.2, "0.0"), (1.2, "0.1"), (1.5, "0.2")]
    assert late.texts == whole(0)


async def test_other_questions_and_questions_without_a_key_fly_alone():
    layer, work = SingleFlight(), Work()
    askers = [Asker(layer, work, payload) for payload in (b"q", b"r", b"", b"")]
    await asyncio.gather(*(asker.task for asker in askers))
    assert len(work.began) == 4


async def test_after_the_answer_the_next_call_asks_again():
    layer, work = SingleFlight(), Work()
    await Asker(layer, work).task
    await Asker(layer, work).task
    assert len(work.began) == 2


# report 31: remnic#2015
@pytest.mark.parametrize("after_s", [0.0, 0.7])
async def test_a_leader_who_leaves_takes_the_answer_from_nobody(after_s):
    layer, work = SingleFlight(), Work()
    leader, follower = Asker(layer, work), Asker(layer, work)
    await asyncio.sleep(after_s)
    leader.task.cancel()
    await asyncio.wait([leader.task])
    assert (leader.task.cancelled(), now()) == (True, after_s)
    assert (await follower.task).answered
    assert (follower.texts, len(work.began)) == (whole(0), 1)


# report 31: remnic#2015
async def test_when_the_leader_fails_before_any_content_one_follower_leads_the_others():
    layer, work = SingleFlight(), Work((0, FAILED), (PIECES, OK))
    leader, *followers = [Asker(layer, work) for _ in range(4)]
    assert await leader.task is FAILED
    assert all([(await follower.task).answered for follower in followers])
    assert [follower.texts for follower in followers] == [whole(1)] * 3
    assert work.began == [0.0, 0.5]


@pytest.mark.parametrize("reelect", [0, 1, 2])
async def test_no_more_leaders_are_elected_than_allowed(reelect):
    layer, work = SingleFlight(reelect=reelect), Work((0, FAILED))
    askers = [Asker(layer, work) for _ in range(10)]
    assert [await asker.task for asker in askers] == [FAILED] * 10
    assert len(work.began) == 1 + reelect
    assert layer.in_flight == 0


async def test_a_failure_after_content_is_everybodys_since_text_cannot_be_taken_back():
    layer, work = SingleFlight(), Work((2, FAILED), (PIECES, OK))
    leader, follower = Asker(layer, work), Asker(layer, work)
    assert [await leader.task, await follower.task] == [FAILED, FAILED]
    assert (follower.texts, len(work.began)) == (whole(0, 2), 1)


async def test_a_bad_question_is_not_asked_again():
    layer, work = SingleFlight(reelect=5), Work((0, BAD_REQUEST))
    askers = [Asker(layer, work) for _ in range(3)]
    assert [await asker.task for asker in askers] == [BAD_REQUEST] * 3
    assert len(work.began) == 1


async def test_preliminaries_of_a_leader_who_fails_reach_no_follower():
    async def work(call):
        call.sink(Chunk(f"role {len(began)}".encode(), tokens=0))
        began.append(now())
        await asyncio.sleep(1)
        if len(began) > 1:
            call.sink(Chunk(b"text"))
            return OK
        return FAILED

    began, layer = [], SingleFlight()
    leader, follower = Asker(layer, work), Asker(layer, work)
    await asyncio.wait([leader.task, follower.task])
    assert (leader.texts, follower.texts) == (["role 0"], ["role 1", "text"])


async def test_an_answer_without_content_reaches_followers_at_its_end():
    async def work(call):
        await asyncio.sleep(1)
        call.sink(Chunk(b"nothing to say", tokens=0))
        return OK

    layer = SingleFlight()
    askers = [Asker(layer, work) for _ in range(2)]
    assert all([(await asker.task).answered for asker in askers])
    assert [asker.texts for asker in askers] == [["nothing to say"]] * 2


async def test_a_follower_does_not_wait_for_ever_for_a_stuck_leader():
    async def work(call):
        began.append(now())
        await asyncio.sleep(1000 if len(began) == 1 else 1)
        call.sink(Chunk(b"text"))
        return OK

    began, layer = [], SingleFlight(follower_timeout_s=10)
    _leader, *followers = [Asker(layer, work) for _ in range(3)]
    await asyncio.wait([follower.task for follower in followers])
    assert [(f.task.result().kind, f.texts) for f in followers] == [(Kind.OK, ["text"])] * 2
    assert (began, now()) == ([0.0, 10.0], 11.0)


async def test_a_follower_without_another_election_says_in_time_that_it_got_nothing():
    async def work(call):
        await asyncio.sleep(1000)

    layer = SingleFlight(follower_timeout_s=10, reelect=0)
    _leader, follower = Asker(layer, work), Asker(layer, work)
    outcome = await follower.task
    assert (outcome.kind, outcome.phase, outcome.status, now()) == (Kind.TIMEOUT, "first_token", 504, 10.0)


async def test_once_content_has_come_a_followers_patience_no_longer_counts():
    layer, work = SingleFlight(follower_timeout_s=0.6), Work((20, OK))
    _leader, follower = Asker(layer, work), Asker(layer, work)
    assert (await follower.task).answered
    assert len(work.began) == 1


async def test_everyone_has_the_deadline_of_their_own_and_the_work_has_none():
    layer, work = SingleFlight(), Work()
    leader = Asker(layer, work, deadline_s=0.7)
    short, patient = Asker(layer, work, deadline_s=1.2), Asker(layer, work, deadline_s=9.0)
    outcomes = [await asker.task for asker in (leader, short, patient)]
    assert [outcome.kind for outcome in outcomes] == [Kind.TIMEOUT, Kind.TIMEOUT, Kind.OK]
    assert [outcome.phase for outcome in outcomes[:2]] == ["total", "total"]
    assert (leader.texts, short.texts, patient.texts) == (whole(0, 1), whole(0, 2), whole(0))


async def test_the_work_ends_when_nobody_waits_any_more_and_before_the_last_one_has_left():
    layer, work = SingleFlight(), Work()
    askers = [Asker(layer, work) for _ in range(3)]
    await asyncio.sleep(0.7)
    for asker in askers:
        asker.task.cancel()
    await asyncio.wait([asker.task for asker in askers])
    assert (work.running, layer.in_flight, others(), now()) == (0, 0, set(), 0.7)


async def test_the_last_one_to_leave_sees_the_work_to_its_end():
    async def work(call):
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(1)  # what it holds takes a while to be given back
            ended.append(now())

    ended, layer = [], SingleFlight()
    asker = Asker(layer, work)
    await asyncio.sleep(0.5)
    asker.task.cancel()
    await asyncio.wait([asker.task])
    assert (asker.task.cancelled(), ended) == (True, [1.5])


async def test_a_bug_that_nobody_waits_for_is_reported_by_the_loop():
    async def work(call):
        try:
            await asyncio.sleep(5)
        finally:
            raise KeyError("bug")

    reported = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context))
    asker = Asker(SingleFlight(), work)
    await asyncio.sleep(0.5)
    asker.task.cancel()
    await asyncio.wait([asker.task])
    del asker
    gc.collect()
    assert [type(context["exception"]) for context in reported] == [KeyError]


async def test_content_in_the_tick_in_which_patience_ends_is_not_passed_on():
    async def work(call):
        asyncio.get_running_loop().call_at(1.0, call.sink, Chunk(b"late"))
        await asyncio.sleep(2)
        return OK

    layer = SingleFlight(follower_timeout_s=1.0, reelect=0)
    leader, follower = Asker(layer, work), Asker(layer, work)
    await asyncio.sleep(0)
    await asyncio.wait([leader.task, follower.task])
    assert (follower.task.result().kind, follower.texts, leader.texts) == (Kind.TIMEOUT, [], ["late"])


async def test_whoever_comes_while_abandoned_work_is_ended_starts_afresh():
    async def work(call):
        began.append(now())
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            await asyncio.sleep(1)
            raise
        return OK

    began, layer = [], SingleFlight()
    first = Asker(layer, work)
    await asyncio.sleep(1)
    first.task.cancel()
    await asyncio.sleep(0.5)
    assert await Asker(layer, work).task is OK
    assert began == [0.0, 1.5]


async def test_an_attempt_that_all_deadlines_ran_out_on_is_no_abandoned_one():
    """Else a breaker behind it would never learn of a worker that outlasts its callers' deadlines."""
    endings = []

    class Heard(Observer):
        def attempt_ended(self, attempt, outcome, now):
            endings.append((outcome.kind, outcome.phase))

    async def hang(attempt):
        await asyncio.sleep(100)

    bound = Pipeline(layers=(SingleFlight(),)).over(["w0"], hang, Heard())
    await asyncio.gather(*(bound.run(Call(id="c", payload=b"q", deadline_s=float(i))) for i in (1, 2)))
    assert (endings, now()) == ([(Kind.TIMEOUT, "total")], 2.0)
    assert bound.pending.total() == 0


# report 4: cpython#134471
async def test_a_pending_cancellation_wins_over_a_deadline_that_has_passed_and_nothing_is_sent():
    layer, work = SingleFlight(), Work()

    async def late():
        asyncio.current_task().cancel()
        return await layer.run(Call(id="c", payload=b"q", deadline_s=-1.0), work)

    task = asyncio.create_task(late())
    await asyncio.wait([task])
    assert (task.cancelled(), work.began) == (True, [])
    outcome = await layer.run(Call(id="c", payload=b"q", deadline_s=-1.0), work)
    assert (outcome.kind, work.began) == (Kind.TIMEOUT, [])


async def test_a_flight_that_has_ended_is_gone_without_the_collector():
    layer = SingleFlight()
    asker = Asker(layer, Work())
    await asyncio.sleep(0.1)
    flight = weakref.ref(next(iter(layer._flights.values())))
    await asker.task
    await asyncio.sleep(0)
    assert flight() is None


async def test_a_bug_in_the_work_is_hidden_from_nobody():
    async def work(call):
        await asyncio.sleep(1)
        raise KeyError("bug")

    layer = SingleFlight()
    askers = [Asker(layer, work) for _ in range(2)]
    await asyncio.wait([asker.task for asker in askers])
    assert [type(asker.task.exception()) for asker in askers] == [KeyError, KeyError]
    assert layer.in_flight == 0


async def test_tokens_handed_over_in_bulk_came_to_a_late_follower_when_it_was_there():
    async def work(call):
        await asyncio.sleep(2)
        call.sink(Chunk(b"", tokens=3, times_s=[0.5, 1.0, 1.9]))
        await asyncio.sleep(1)
        return OK

    def heard_by(call):
        times = []
        call.sink = lambda chunk: times.append(list(chunk.times_s))
        return times

    layer = SingleFlight()
    first, second, third = (Call(id="c", payload=b"q") for _ in range(3))
    times = [heard_by(call) for call in (first, second, third)]
    tasks = [asyncio.create_task(layer.run(first, work))]
    await asyncio.sleep(0.7)
    tasks.append(asyncio.create_task(layer.run(second, work)))
    await asyncio.sleep(1.8)
    tasks.append(asyncio.create_task(layer.run(third, work)))
    await asyncio.wait(tasks)
    assert times == [[[0.5, 1.0, 1.9]], [[0.7, 1.0, 1.9]], [[2.5, 2.5, 2.5]]]


async def test_the_leaders_attempts_are_its_own_and_the_worker_is_known_to_all():
    async def answer(attempt):
        attempt.call.served_by = attempt.worker
        await asyncio.sleep(1)
        attempt.deliver(Chunk(b"x"), now())
        return OK

    bound = Pipeline(layers=(SingleFlight(), Deadline(total_s=9))).over(["w0"], answer)
    calls = [Call(id="c", payload=b"q") for _ in range(2)]
    await asyncio.gather(*map(bound.run, calls))
    assert [(call.attempts, call.served_by) for call in calls] == [(1, "w0"), (0, "w0")]


ENDINGS = st.sampled_from([OK, FAILED, BAD_REQUEST])
SCRIPTS = st.lists(st.tuples(st.integers(0, 4), ENDINGS), min_size=1, max_size=4)
EVENTS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.25, 0.5, 0.75]),  # pause before; ties with pieces and endings on purpose
        st.sampled_from(["ask", "ask", "ask", "leave"]),
        st.integers(0, 20),  # who leaves, and what is asked
        st.sampled_from([0.5, 1.5, float("inf")]),  # until the asker's deadline
    ),
    max_size=25,
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(SCRIPTS, EVENTS, st.integers(0, 2), st.sampled_from([0.5, 1.0, 10.0]))
def test_whoever_comes_and_goes_each_ends_once_with_each_piece_once_and_nothing_is_left(
    script, events, reelect, patience_s
):
    async def play():
        layer, work = SingleFlight(reelect=reelect, follower_timeout_s=patience_s), Work(*script)
        askers = []
        for pause_s, what, which, within_s in events:
            await asyncio.sleep(pause_s)
            if what == "ask":
                askers.append(Asker(layer, work, (b"q", b"r")[which % 2], deadline_s=now() + within_s))
            elif askers:
                askers[which % len(askers)].task.cancel()
        if askers:
            await asyncio.wait([asker.task for asker in askers])
        assert (others(), layer.in_flight, work.running) == (set(), 0, 0)
        for asker in askers:
            _check(asker, script)

    run_virtual(play())


def _check(asker, script):
    numbers = {int(text.split(".")[0]) for text in asker.texts}
    assert len(numbers) <= 1, "pieces of one answer only"
    number = min(numbers, default=0)
    assert asker.texts == whole(number, len(asker.texts)), "in order, each once"
    if not asker.task.cancelled():
        outcome = asker.task.result()
        if outcome.answered and asker.texts:
            assert len(asker.texts) == script[min(number, len(script) - 1)][0], "the whole answer"
