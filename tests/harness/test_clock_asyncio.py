"""What asyncio offers, and tenacity's sleeps, take exactly the virtual time that they should."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
import tenacity

from harness.clock import VirtualLoop, run_virtual


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_timeout_fires_on_time_and_one_that_is_left_in_time_does_not() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await asyncio.sleep(3)
    assert now() == 2
    async with asyncio.timeout(2):
        await asyncio.sleep(1)
    await asyncio.sleep(10)
    assert now() == 13


async def test_only_the_earlier_of_two_timeouts_expires() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(5) as outer, asyncio.timeout(2) as inner:
            await asyncio.sleep(9)
    assert inner.expired()
    assert not outer.expired()
    assert now() == 2


async def moves_its_timeout() -> None:
    async with asyncio.timeout(None) as timeout:
        await asyncio.sleep(1)
        timeout.reschedule(4)
        await asyncio.sleep(9)


async def test_a_timeout_can_be_moved_and_may_lie_in_the_past() -> None:
    with pytest.raises(TimeoutError):
        await moves_its_timeout()
    assert now() == 4
    with pytest.raises(TimeoutError):
        async with asyncio.timeout_at(1):
            await asyncio.sleep(9)
    assert now() == 4


async def test_wait_for_cancels_what_it_waits_for() -> None:
    ended: list[float] = []

    async def slow() -> None:
        try:
            await asyncio.sleep(9)
        finally:
            ended.append(now())

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(slow(), 2)
    assert ended == [2]
    assert await asyncio.wait_for(asyncio.sleep(1, "done"), 2) == "done"
    assert now() == 3


async def test_sleeps_that_end_together_end_in_the_order_in_which_they_began() -> None:
    log: list[int] = []

    async def sleeps(number: int) -> None:
        await asyncio.sleep(1)
        log.append(number)

    await asyncio.gather(*map(sleeps, range(100)))
    assert log == list(range(100))


async def test_gather_and_wait_take_as_long_as_they_must() -> None:
    assert await asyncio.gather(asyncio.sleep(3, "a"), asyncio.sleep(1, "b")) == ["a", "b"]
    assert now() == 3
    tasks = [asyncio.create_task(asyncio.sleep(delay)) for delay in (1, 2, 9)]
    done, rest = await asyncio.wait(tasks, timeout=4)
    assert now() == 7
    assert len(done) == 2
    rest.pop().cancel()
    first = [
        await ended for ended in asyncio.as_completed([asyncio.sleep(2, "late"), asyncio.sleep(1, "early")])
    ]
    assert first == ["early", "late"]
    assert now() == 9


async def fails_in_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(9))
        await asyncio.sleep(2)
        raise ValueError("broken")


async def test_a_group_cancels_the_others_when_one_fails() -> None:
    with pytest.raises(ExceptionGroup) as error:
        await fails_in_a_group()
    assert isinstance(error.value.exceptions[0], ValueError)
    assert now() == 2


async def test_a_queue_hands_on_in_order_and_holds_back_who_is_too_fast() -> None:
    queue = asyncio.Queue[int](2)
    got: list[tuple[float, int]] = []

    async def consume() -> None:
        while True:
            got.append((now(), await queue.get()))
            await asyncio.sleep(1)
            queue.task_done()

    consumer = asyncio.create_task(consume())
    for number in range(5):
        await queue.put(number)
    assert now() == 2  # two fit in and one is being worked on
    await queue.join()
    consumer.cancel()
    assert got == [(float(number), number) for number in range(5)]
    assert now() == 5


async def test_a_semaphore_lets_in_as_many_as_it_has_slots_first_come_first_served() -> None:
    slots = asyncio.Semaphore(2)
    ended: list[tuple[int, float]] = []

    async def work(number: int) -> None:
        async with slots:
            await asyncio.sleep(1)
        ended.append((number, now()))

    await asyncio.gather(*map(work, range(5)))
    assert ended == [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3)]


async def test_event_condition_and_barrier_wake_who_waits() -> None:
    event, condition, barrier = asyncio.Event(), asyncio.Condition(), asyncio.Barrier(2)
    asyncio.get_running_loop().call_later(1, event.set)
    await event.wait()
    assert now() == 1

    async def notify() -> None:
        await asyncio.sleep(1)
        async with condition:
            condition.notify_all()
        await asyncio.sleep(1)
        await barrier.wait()

    task = asyncio.create_task(notify())
    async with condition:
        await condition.wait()
    assert now() == 2
    await barrier.wait()
    assert now() == 3
    await task


async def test_async_generators_and_context_managers_run_to_their_end() -> None:
    log: list[str] = []

    @asynccontextmanager
    async def opened() -> AsyncIterator[str]:
        await asyncio.sleep(1)
        try:
            yield "inside"
        finally:
            await asyncio.sleep(1)
            log.append(f"closed at {now():g}")

    async def ticks() -> AsyncIterator[float]:
        async with opened():
            for _ in range(3):
                yield now()
                await asyncio.sleep(1)

    assert [tick async for tick in ticks()] == [1, 2, 3]
    assert log == ["closed at 5"]


async def test_tenacity_sleeps_virtual_time() -> None:
    at: list[float] = []

    async def fails() -> None:
        at.append(now())
        raise ValueError("broken")

    retrying = tenacity.AsyncRetrying(stop=tenacity.stop_after_attempt(5), wait=tenacity.wait_exponential())
    with pytest.raises(tenacity.RetryError):
        await retrying(fails)
    assert at == [0, 1, 3, 7, 15]


def test_a_runner_runs_several_works_on_one_clock() -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(asyncio.sleep(2))
        runner.run(asyncio.sleep(3))
        assert runner.get_loop().time() == 5


def test_what_the_work_returns_and_raises_comes_out() -> None:
    async def fails() -> None:
        raise LookupError("nothing there")

    assert run_virtual(asyncio.sleep(1, "result")) == "result"
    with pytest.raises(LookupError, match="nothing there"):
        run_virtual(fails())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with Python 3.12")
async def test_eager_tasks_run_at_once_and_then_like_any_other() -> None:
    loop = asyncio.get_running_loop()
    factory: Callable[..., asyncio.Task[Any]] = vars(asyncio)["eager_task_factory"]
    loop.set_task_factory(factory)
    log: list[float] = []

    async def work() -> None:
        log.append(now())
        await asyncio.sleep(1)
        log.append(now())

    begun: Coroutine[Any, Any, None] = work()
    task = asyncio.create_task(begun)
    assert log == [0]
    await task
    assert log == [0, 1]


async def test_what_is_called_last_at_a_time_comes_after_all_that_comes_of_the_rest() -> None:
    """In the order of rank, whenever it was set; what one of them sets off comes before the next."""
    loop, order = asyncio.get_running_loop(), []

    def note(what: str, then: str = "") -> None:
        order.append(what)
        if then:
            loop.call_soon(note, then)

    loop.call_at_last(1.0, 1, lambda: note("second"))
    loop.call_at_last(1.0, 0, lambda: note("first", "of first"))
    loop.call_at(1.0, note, "plain", "of plain")
    loop.call_at_last(1.0, 0, lambda: note("never")).cancel()
    await asyncio.sleep(1.5)
    assert order == ["plain", "of plain", "first", "of first", "second"]
