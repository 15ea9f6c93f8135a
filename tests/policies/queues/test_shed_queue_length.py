"""Bounded concurrency, a bounded line, and permits that are never lost."""

import asyncio
import random

import pytest

from policies.call import Call
from policies.outcome import OK, Kind
from policies.queues.shed_queue_length import ShedQueueLength


def now():
    return asyncio.get_running_loop().time()


class Tier:
    """What lies behind the line: serves each call for a second, and records who was let in and when."""

    def __init__(self, takes_s=1.0):
        self.takes_s = takes_s
        self.let_in = []
        self.inside = self.most = 0

    async def __call__(self, call):
        self.let_in.append((call.id, now()))
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await asyncio.sleep(self.takes_s)
        finally:
            self.inside -= 1
        return OK


def start(layer, tier, *ids, **call):
    return [asyncio.create_task(layer.run(Call(id=i, **call), tier)) for i in ids]


async def test_calls_beyond_the_limit_wait_in_order_of_arrival():
    layer, tier = ShedQueueLength(max_concurrent=1, max_queue=3), Tier()
    await asyncio.gather(*start(layer, tier, "a", "b", "c", "d"))
    assert tier.let_in == [("a", 0.0), ("b", 1.0), ("c", 2.0), ("d", 3.0)]


async def test_calls_beyond_the_line_are_refused_at_once():
    layer, tier = ShedQueueLength(max_concurrent=2, max_queue=1), Tier()
    tasks = start(layer, tier, *"abcde")
    await asyncio.sleep(0)
    refused = [task.result() for task in tasks if task.done()]
    assert [(o.kind, o.phase, o.status) for o in refused] == [(Kind.REJECTED, "admission", 503)] * 2
    await asyncio.gather(*tasks)
    assert tier.most == 2


async def test_without_a_line_nobody_waits():
    layer, tier = ShedQueueLength(max_concurrent=1, max_queue=0), Tier()
    outcomes = await asyncio.gather(*start(layer, tier, "a", "b"))
    assert [o.kind for o in outcomes] == [Kind.OK, Kind.REJECTED]


# report 34: vllm#2901
async def test_work_that_expired_in_the_line_is_dropped_and_never_sent():
    layer, tier = ShedQueueLength(max_concurrent=1, max_queue=9), Tier(takes_s=5)
    first = start(layer, tier, "a")
    await asyncio.sleep(0)
    late = start(layer, tier, "b", "c", deadline_s=5.0)
    in_time = start(layer, tier, "d", deadline_s=5.1)
    outcomes = await asyncio.gather(*first, *late, *in_time)
    assert [(o.kind, o.phase) for o in outcomes[1:3]] == [(Kind.TIMEOUT, "queue")] * 2
    assert tier.let_in == [("a", 0.0), ("d", 5.0)]


async def test_what_expired_in_a_full_line_makes_room_for_who_comes():
    layer, tier = ShedQueueLength(max_concurrent=1, max_queue=2), Tier(takes_s=5)
    start(layer, tier, "a")
    await asyncio.sleep(0)
    expired = start(layer, tier, "b", "c", deadline_s=1.0)
    await asyncio.sleep(2)
    assert [outcome.kind for outcome in await asyncio.gather(*start(layer, tier, "d", "e", "f"))] == [
        Kind.OK,
        Kind.OK,
        Kind.REJECTED,
    ]
    assert [(task.result().kind, task.result().phase) for task in expired] == [(Kind.TIMEOUT, "queue")] * 2
    assert [name for name, _ in tier.let_in] == ["a", "d", "e"]


async def test_a_caller_who_leaves_the_line_gives_up_the_place():
    layer, tier = ShedQueueLength(max_concurrent=1, max_queue=1), Tier()
    _first, waiting = start(layer, tier, "a", "b")
    await asyncio.sleep(0.5)
    waiting.cancel()
    await asyncio.sleep(0)
    assert layer.waiting == 0
    (after,) = start(layer, tier, "c")
    assert await after is OK
    assert tier.let_in == [("a", 0.0), ("c", 1.0)]


async def test_a_caller_who_leaves_in_the_tick_of_the_permit_passes_it_on():
    layer, tier = ShedQueueLength(max_concurrent=1, max_queue=2), Tier()

    async def run_and_cancel_next():
        await layer.run(Call(id="a"), tier)
        second.cancel()

    first = asyncio.create_task(run_and_cancel_next())
    second, third = start(layer, tier, "b", "c")
    await asyncio.wait([first, second, third])
    assert second.cancelled()
    assert tier.let_in == [("a", 0.0), ("c", 1.0)]


async def test_a_caller_cancelled_in_the_line_is_passed_over_even_before_waking():
    layer, tier = ShedQueueLength(max_concurrent=1, max_queue=2), Tier()
    first, second, third = start(layer, tier, "a", "b", "c")
    await asyncio.sleep(0.5)
    second.cancel()
    first.cancel()
    await asyncio.wait([first, second, third])
    assert (second.cancelled(), third.result()) == (True, OK)
    assert tier.let_in == [("a", 0.0), ("c", 0.5)]


async def test_a_failure_inside_gives_the_permit_back():
    layer = ShedQueueLength(max_concurrent=1, max_queue=0)

    async def broken(call):
        raise KeyError("bug")

    for _ in range(3):
        with pytest.raises(KeyError):
            await layer.run(Call(id="c"), broken)


@pytest.mark.parametrize("seed", range(20))
async def test_no_permit_is_lost_or_invented_when_callers_leave_at_random_moments(seed):
    rng = random.Random(seed)
    layer, tier = ShedQueueLength(max_concurrent=3, max_queue=10), Tier()
    tasks = []
    for number in range(200):
        deadline_s = now() + rng.choice([0.5, 2.0, float("inf")])
        tasks += start(layer, tier, str(number), deadline_s=deadline_s)
        await asyncio.sleep(rng.expovariate(4.0))
        if rng.random() < 0.3:
            rng.choice(tasks).cancel()
    await asyncio.wait(tasks)
    assert tier.most == 3
    assert (layer.waiting, tier.inside) == (0, 0)
    again = await asyncio.gather(*start(layer, tier, "x", "y", "z"))
    assert (again, tier.most) == ([OK] * 3, 3)


async def test_a_refusal_says_when_to_come_again():
    layer = ShedQueueLength(max_concurrent=1, max_queue=0)
    held, refused = start(layer, Tier(), "a", "b")
    assert (await refused).retry_after_s == 1.0
    await held
