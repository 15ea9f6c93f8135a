"""What must hold for every picker, whatever the candidates, their weights and what happened before."""

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.clock import run_virtual
from policies import pickers
from policies.call import Attempt, Call, Chunk
from policies.candidates import Candidate, Candidates
from policies.outcome import OK, Kind, Outcome
from policies.pipeline import Pipeline
from policies.policy import Picker
from policies.pool import Load, Pool

WORKERS = ("w0", "w1", "w2", "w3", "w4")
every_picker = pytest.mark.parametrize("kind", pickers.POLICIES, ids=lambda kind: kind.name)


def now():
    return asyncio.get_running_loop().time()


STATES = st.lists(
    st.one_of(st.none(), st.tuples(st.floats(1e-3, 1.0), st.integers(0, 50))), min_size=5, max_size=5
)
SUBSETS = st.one_of(st.none(), st.frozensets(st.sampled_from(WORKERS), min_size=1))
TURNS = st.lists(st.tuples(STATES, SUBSETS, st.sampled_from(Kind)), min_size=1, max_size=12)


@every_picker
@settings(derandomize=True, max_examples=30, deadline=None)
@given(turns=TURNS, seed=st.integers(0, 10**6))
def test_it_picks_an_open_worker_that_the_call_may_reach_and_none_only_if_there_is_none(kind, turns, seed):
    run_virtual(play(kind(), turns, random.Random(seed)))


async def play(picker, turns, chance):
    def ask(worker, tell):
        tell(
            Load(in_flight=chance.randrange(9), latency_s=chance.random() if chance.random() < 0.7 else None)
        )

    picker.bind(Pool(workers=WORKERS, ask=ask))
    for number, (states, allowed, ending) in enumerate(turns):
        await asyncio.sleep(chance.choice((0.0, 0.1, 5.0)))
        whole = {
            worker: Candidate(worker, *state)
            for worker, state in zip(WORKERS, states, strict=True)
            if state is not None
        }
        reachable = [worker for worker in WORKERS if allowed is None or worker in allowed]
        call = Call(id=str(number), caller="a", seed=str(chance.random()), workers=allowed)
        picked = picker.pick(call, Candidates(reachable, whole.get))
        if picked is None:
            assert not any(worker in whole for worker in reachable)
            continue
        assert picked == whole[picked.worker]
        assert picked.worker in reachable
        attempt = Attempt(call=call, worker=picked.worker, number=1, started_s=now())
        attempt.on_first_token = picker.first_token
        picker.attempt_started(attempt)
        await asyncio.sleep(chance.random())
        if chance.random() < 0.5:
            attempt.deliver(Chunk(b""), now())
        picker.attempt_ended(attempt, Outcome(kind=ending), now())


@every_picker
async def test_workers_that_are_equal_get_about_equal_shares_of_many_callers(kind):
    bound = Pipeline(picker=kind()).over(WORKERS, answer)
    tasks = []
    for number in range(1000):
        await asyncio.sleep(0.02)
        call = Call(id="c", caller=str(number), seed=str(number))
        tasks.append((call, asyncio.create_task(bound.run(call))))
    await asyncio.gather(*(task for _, task in tasks))
    for worker in WORKERS:
        assert 120 < sum(call.last_worker == worker for call, _ in tasks) < 290


async def answer(attempt):
    await asyncio.sleep(0.05)
    attempt.deliver(Chunk(b""), now())
    await asyncio.sleep(0.45)
    return OK


class Seeing(Picker):
    """Remembers what it saw of each worker."""

    def __init__(self):
        self.seen = []

    def pick(self, call, candidates):
        self.seen = list(candidates.in_order())
        return self.seen[0]


# report 28: smg#2130
async def test_an_attempt_is_pending_until_its_last_token_and_not_until_its_headers():
    async def headers_then_nothing_for_long(attempt):
        await asyncio.sleep(0.01)
        attempt.deliver(Chunk(b"", tokens=0), now())
        await asyncio.sleep(5)
        attempt.deliver(Chunk(b""), now())
        return OK

    picker = Seeing()
    bound = Pipeline(picker=picker).over(("w0",), headers_then_nothing_for_long)
    first = asyncio.create_task(bound.run(Call(id="first")))
    await asyncio.sleep(4.9)
    second = asyncio.create_task(bound.run(Call(id="second")))
    await asyncio.sleep(0)
    assert [candidate.pending for candidate in picker.seen] == [1]
    await first
    third = asyncio.create_task(bound.run(Call(id="third")))
    await asyncio.sleep(0)
    assert [candidate.pending for candidate in picker.seen] == [1], "the second, for the first has ended"
    await asyncio.wait([second, third])
    assert bound.pending.total() == 0
