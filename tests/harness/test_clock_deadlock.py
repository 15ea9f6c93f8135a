"""A virtual run in which everything waits for ever says so, and names what waits and where."""

import asyncio
import gc
import math
import re
import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

import pytest

from harness.clock import Deadlock, VirtualLoop, run_virtual


def told(work: Coroutine[Any, Any, object]) -> str:
    with pytest.raises(Deadlock) as error:
        run_virtual(work)
    return str(error.value)


async def never() -> None:
    await asyncio.get_running_loop().create_future()


async def awaits_a_future() -> None:
    await never()


async def awaits_a_task() -> None:
    await asyncio.create_task(never(), name="inner")


async def in_gather() -> None:
    await asyncio.gather(never(), asyncio.sleep(1))


async def in_wait() -> None:
    await asyncio.wait([asyncio.create_task(never(), name="inner")])


async def in_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(never(), name="inner")


async def for_a_lock() -> None:
    lock = asyncio.Lock()
    async with lock, lock:
        pass


async def for_a_queue() -> None:
    await asyncio.Queue[int]().get()


async def for_room_in_a_queue() -> None:
    queue = asyncio.Queue[int](1)
    await queue.put(1)
    await queue.put(2)


async def for_an_event() -> None:
    await asyncio.Event().wait()


async def for_a_slot() -> None:
    async with asyncio.Semaphore(0):
        pass


async def for_a_condition() -> None:
    condition = asyncio.Condition()
    async with condition:
        await condition.wait()


async def for_ever() -> None:
    await asyncio.sleep(math.inf)


async def after_a_timeout_that_was_left() -> None:
    async with asyncio.timeout(5):
        await asyncio.sleep(1)
    await never()


class Waits:
    def __await__(self) -> Generator[Any, None, None]:
        return (yield from never().__await__())


async def by_an_await_method() -> None:
    await Waits()


HERE = r"\(test_clock_deadlock\.py:\d+\)"
LOCKS = r"\(locks\.py:\d+\)"
QUEUES = r"\(queues\.py:\d+\)"


@pytest.mark.parametrize(
    ("work", "places"),
    [
        (awaits_a_future, rf"1 waiting: Task-\d+ in never {HERE}"),
        (awaits_a_task, rf"2 waiting: Task-\d+ in awaits_a_task {HERE}; inner in never {HERE}"),
        (in_gather, rf"2 waiting: Task-\d+ in in_gather {HERE}; Task-\d+ in never {HERE}"),
        (in_wait, rf"2 waiting: Task-\d+ in in_wait {HERE} > _wait .*; inner in never {HERE}"),
        (
            in_a_group,
            rf"2 waiting: Task-\d+ in in_a_group {HERE} > TaskGroup.__aexit__ .*; inner in never {HERE}",
        ),
        (for_a_lock, rf"Task-\d+ in for_a_lock {HERE} > Lock.acquire {LOCKS}"),
        (for_a_queue, rf"Task-\d+ in for_a_queue {HERE} > Queue.get {QUEUES}"),
        (for_room_in_a_queue, rf"Task-\d+ in for_room_in_a_queue {HERE} > Queue.put {QUEUES}"),
        (for_an_event, rf"Task-\d+ in for_an_event {HERE} > Event.wait {LOCKS}"),
        (for_a_slot, rf"Task-\d+ in for_a_slot {HERE} > Semaphore.acquire {LOCKS}"),
        (for_a_condition, rf"Task-\d+ in for_a_condition {HERE} > Condition.wait {LOCKS}"),
        (for_ever, rf"Task-\d+ in for_ever {HERE} > sleep "),
        (after_a_timeout_that_was_left, rf"at 1 s and nothing can run. 1 waiting: Task-\d+ in never {HERE}"),
        (by_an_await_method, rf"Task-\d+ in Waits.__await__ {HERE}"),
    ],
)
def test_who_waits_for_ever_is_named_with_the_place(
    work: Callable[[], Coroutine[Any, Any, None]], places: str
) -> None:
    assert re.search(places, told(work()))


def test_the_place_is_the_line_of_our_own_that_waits_and_then_the_innermost_of_all() -> None:
    async def outer(work: Awaitable[object]) -> None:
        await work

    line = sys._getframe().f_lineno - 2
    message = told(outer(asyncio.Queue[int]().get()))
    here = f"outer (test_clock_deadlock.py:{line})"
    assert message.startswith("nothing is scheduled at 0 s and nothing can run. 1 waiting: Task-")
    assert f"{here} > Queue.get (queues.py:" in message


async def idle() -> None:
    await asyncio.Event().wait()


async def crowd() -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(512):
            group.create_task(idle(), name=f"worker-{number}")
        group.create_task(never(), name="culprit")


def test_tasks_at_one_place_are_told_together_and_the_crowd_comes_last() -> None:
    message = told(crowd())
    assert re.search(
        rf"514 waiting: .*; culprit in never {HERE}; "
        rf"worker-0, worker-1, worker-2 and 509 more in idle {HERE} > Event.wait {LOCKS}$",
        message,
    )


def waits_at(line: int) -> Coroutine[Any, Any, None]:
    """A coroutine that stands at that line of a file of its own."""
    names: dict[str, Any] = {}
    text = "async def place(future):" + "\n" * (line - 1) + " await future"
    exec(compile(text, "/somewhere/places.py", "exec"), names)  # noqa: S102 - our own text
    coroutine: Coroutine[Any, Any, None] = names["place"](asyncio.get_running_loop().create_future())
    return coroutine


async def everywhere() -> None:
    await asyncio.gather(*map(waits_at, range(2, 32)))


def test_long_lists_of_places_are_cut() -> None:
    message = told(everywhere())
    assert "31 waiting: " in message
    assert message.count(" in place (places.py:") == 9
    assert message.endswith("; 21 more places")


def test_a_future_without_a_task_is_told_too(virtual_loop: VirtualLoop) -> None:
    with pytest.raises(Deadlock, match=r"at 0 s and nothing can run\. No task waits: a future is awaited"):
        virtual_loop.run_until_complete(virtual_loop.create_future())


def test_a_loop_run_for_ever_with_nothing_to_do_does_not_hang(virtual_loop: VirtualLoop) -> None:
    virtual_loop.call_later(3, lambda: None)
    with pytest.raises(Deadlock, match="at 3 s"):
        virtual_loop.run_forever()


def test_timers_that_were_all_cancelled_are_nothing_scheduled(virtual_loop: VirtualLoop) -> None:
    virtual_loop.call_later(3, lambda: None).cancel()
    with pytest.raises(Deadlock, match="at 0 s"):
        virtual_loop.run_forever()


def test_what_waits_in_a_deadlock_still_cleans_up() -> None:
    ended: list[float] = []

    async def work() -> None:
        try:
            await never()
        finally:
            await asyncio.sleep(2)
            ended.append(asyncio.get_running_loop().time())

    told(work())
    assert ended == [2]


async def waits_when_cancelled() -> None:
    try:
        await never()
    except asyncio.CancelledError:
        await never()


def test_a_clean_up_that_waits_for_ever_ends_as_well(caplog: pytest.LogCaptureFixture) -> None:
    told(waits_when_cancelled())
    gc.collect()
    assert "Task was destroyed but it is pending" in caplog.text
