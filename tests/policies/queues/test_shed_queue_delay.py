"""A line bounded by how long it takes."""

import asyncio

from policies.call import Call
from policies.outcome import OK, Kind
from policies.queues.shed_queue_delay import ShedQueueDelay


async def second(call):
    await asyncio.sleep(1)
    return OK


async def outcomes_of(layer, calls, every_s):
    tasks = []
    for _ in range(calls):
        tasks.append(asyncio.create_task(layer.run(Call(id="c"), second)))
        await asyncio.sleep(every_s)
    return await asyncio.gather(*tasks)


async def test_a_burst_waits_and_nobody_is_dropped():
    layer = ShedQueueDelay(max_concurrent=10)
    outcomes = await outcomes_of(layer, 30, 0.0)
    outcomes += await outcomes_of(layer, 50, 0.2)
    assert {outcome.kind for outcome in outcomes} == {Kind.OK}


async def test_a_line_that_stands_is_thinned_out_with_a_refusal_that_says_when_to_come_again():
    layer = ShedQueueDelay(max_concurrent=10)
    outcomes = await outcomes_of(layer, 300, 1 / 15)
    dropped = [outcome for outcome in outcomes if outcome is not OK]
    assert 60 < len(dropped) < 120, "a third of the load is too much"
    assert {(o.kind, o.phase, o.by, o.status, o.retry_after_s) for o in dropped} == {
        (Kind.REJECTED, "queue", "shed_queue_delay", 503, 1.0)
    }


async def test_what_waits_longest_is_dropped_even_though_the_newest_goes_first():
    layer, waits = ShedQueueDelay(max_concurrent=10, discipline="lifo"), []
    clock = asyncio.get_running_loop().time

    async def ask():
        asked_s = clock()
        if await layer.run(Call(id="c"), second) is not OK:
            waits.append(clock() - asked_s)

    async with asyncio.TaskGroup() as group:
        for _ in range(300):
            group.create_task(ask())
            await asyncio.sleep(1 / 15)
    late = sorted(waits)[: len(waits) // 2]
    assert late[0] > 2 * layer.target_s
    assert late[-1] < 2.0, "most are told soon, not at the end of the overload"


async def test_a_line_whose_callers_all_left_is_not_held_against_the_next_burst():
    layer = ShedQueueDelay(max_concurrent=10)
    left = [asyncio.create_task(layer.run(Call(id="c"), second)) for _ in range(100)]
    await asyncio.sleep(5.5)
    for task in left:
        task.cancel()
    await asyncio.sleep(100)
    assert {outcome.kind for outcome in await outcomes_of(layer, 30, 0.0)} == {Kind.OK}


async def test_beyond_the_longest_line_nobody_waits():
    layer = ShedQueueDelay(max_concurrent=1, max_queue=2)
    outcomes = await outcomes_of(layer, 5, 0.0)
    refused = [(o.kind, o.phase) for o in outcomes if o is not OK and o.phase == "admission"]
    assert refused == [(Kind.REJECTED, "admission")] * 2
