"""A line without an end, and what the order of it is worth under overload."""

import asyncio
import random

import pytest

from policies.assembly import assemble
from policies.call import Call
from policies.notation import parse
from policies.outcome import OK, Kind
from policies.queues.queue import Queue
from policies.queues.shed_queue_delay import ShedQueueDelay
from policies.queues.shed_queue_length import ShedQueueLength

PLACES, TAKES_S, PATIENCE_S = 4, 0.5, 2.0
CAPACITY = PLACES / TAKES_S  # calls a second


async def serve(call):
    await asyncio.sleep(TAKES_S)
    return OK


async def in_time(layer, load, for_s=60.0):
    """Of calls at `load` times the capacity: the share answered within their deadline."""
    rng = random.Random(1)
    clock = asyncio.get_running_loop().time
    answered = []

    async def ask(call):
        outcome = await layer.run(call, serve)
        answered.append(outcome is OK and clock() <= call.deadline_s)

    asked, until_s = [], clock() + for_s
    while clock() < until_s:
        call = Call(id="c", deadline_s=clock() + PATIENCE_S)
        asked.append(asyncio.create_task(ask(call)))
        await asyncio.sleep(rng.expovariate(load * CAPACITY))
    await asyncio.gather(*asked)
    return sum(answered) / len(answered)


async def test_nobody_is_refused_however_many_wait():
    queue = Queue(max_concurrent=2)
    tasks = [asyncio.create_task(queue.run(Call(id="c"), serve)) for _ in range(1000)]
    await asyncio.sleep(0)
    assert queue.waiting == 998
    assert await asyncio.gather(*tasks) == [OK] * 1000
    assert queue.waiting == 0


@pytest.mark.parametrize("policy", ["queue", "shed_queue_length", "shed_queue_delay"])
def test_an_unknown_discipline_is_refused_with_the_known_ones(policy):
    with pytest.raises(ValueError, match=f"^{policy}: discipline must be one of fifo, .*, got 'random'$"):
        assemble(parse(f"{policy}(discipline=random)"))
    assemble(parse(f"{policy}(8, discipline=lifo)"))


# report 34: llm-d-semantic-classifier#24
async def test_an_unbounded_line_under_overload_serves_only_expired_work():
    assert await in_time(Queue(max_concurrent=PLACES), 0.8) > 0.99
    assert await in_time(Queue(max_concurrent=PLACES), 1.5) < 0.1


# report 34: vllm#2901
async def test_a_line_as_short_as_the_patience_of_its_callers_serves_them_in_time():
    layer = ShedQueueLength(max_concurrent=PLACES, max_queue=8)
    assert await in_time(layer, 1.5) > 0.9 / 1.5


@pytest.mark.parametrize(
    "layer",
    [
        Queue(max_concurrent=PLACES, discipline="lifo"),
        Queue(max_concurrent=PLACES, discipline="adaptive_lifo"),
        ShedQueueDelay(max_concurrent=PLACES, discipline="fifo"),
        ShedQueueDelay(max_concurrent=PLACES),
    ],
    ids=["lifo", "adaptive_lifo", "codel", "adaptive_lifo with codel"],
)
async def test_under_overload_newest_first_or_codel_answers_five_times_more_in_time_than_fifo(layer):
    fifo = await in_time(Queue(max_concurrent=PLACES), 1.5)
    assert await in_time(layer, 1.5) > 5 * fifo


# report 34: vllm#2901
# report 34: llm-d-semantic-classifier#24
@pytest.mark.parametrize("policy", [Queue, ShedQueueLength, ShedQueueDelay])
@pytest.mark.parametrize("discipline", ["fifo", "lifo", "adaptive_lifo"])
async def test_expired_work_in_a_line_is_dropped_at_dequeue_and_never_sent(policy, discipline):
    layer, sent = policy(max_concurrent=1, discipline=discipline), []

    async def tier(call):
        sent.append(call.id)
        await asyncio.sleep(1)
        return OK

    patience_s = {"a": 9, "b": 0.5, "c": 1.0, "d": 9, "e": 0.7}
    calls = [Call(id=name, deadline_s=deadline_s) for name, deadline_s in patience_s.items()]
    outcomes = await asyncio.gather(*(layer.run(call, tier) for call in calls))
    assert sent == ["a", "d"]
    assert [outcomes[i].kind for i in (0, 3)] == [Kind.OK] * 2
    assert {(outcomes[i].kind, outcomes[i].phase, outcomes[i].by) for i in (1, 2, 4)} == {
        (Kind.TIMEOUT, "queue", policy.name)
    }
