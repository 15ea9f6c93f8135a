"""Time and order on the virtual loop."""

import asyncio
import math
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from random import Random
from typing import Any

import numpy as np
import pytest

from harness.clock import VirtualLoop


def now() -> float:
    return asyncio.get_running_loop().time()


def logging_to(log: list[str]) -> Callable[[str], None]:
    return lambda word: log.append(f"{word} at {now():g}")


async def test_an_hour_passes_at_once_and_ends_exactly() -> None:
    await asyncio.sleep(0.1)
    await asyncio.sleep(3599.9)
    assert now() == 0.1 + 3599.9


async def test_each_run_begins_at_zero() -> None:
    assert now() == 0


@pytest.mark.parametrize("seed", range(5))
async def test_timers_run_by_time_and_those_due_together_in_the_order_they_were_set(seed: int) -> None:
    chance = Random(seed)
    loop = asyncio.get_running_loop()
    times = [float(chance.randrange(20)) for _ in range(500)]
    ran: list[tuple[float, int]] = []
    for number, when in enumerate(times):
        loop.call_at(when, lambda entry: ran.append((loop.time(), entry)), number)
    await asyncio.sleep(100)
    assert ran == sorted((when, number) for number, when in enumerate(times))


async def test_what_can_run_now_and_what_follows_from_it_runs_before_any_timer() -> None:
    log: list[str] = []
    note, loop = logging_to(log), asyncio.get_running_loop()
    loop.call_later(0, note, "timer")
    loop.call_soon(lambda: loop.call_soon(loop.call_soon, note, "third turn"))
    loop.call_soon(note, "first turn")
    await asyncio.sleep(1)
    assert log == ["first turn at 0", "third turn at 0", "timer at 0"]


async def test_all_timers_due_together_run_before_what_the_first_of_them_causes() -> None:
    log: list[str] = []
    note, loop = logging_to(log), asyncio.get_running_loop()
    loop.call_at(1, loop.call_soon, note, "caused")
    loop.call_at(1, note, "second")
    await asyncio.sleep(2)
    assert log == ["second at 1", "caused at 1"]


async def test_time_never_runs_backwards() -> None:
    log: list[str] = []
    note, loop = logging_to(log), asyncio.get_running_loop()
    await asyncio.sleep(10)
    loop.call_at(10, note, "now")
    loop.call_at(7, note, "late")
    loop.call_later(-9, note, "later")
    await asyncio.sleep(1)
    assert log == ["later at 10", "late at 10", "now at 10"]


async def test_time_stays_a_plain_float_whatever_it_is_asked_for() -> None:
    await asyncio.sleep(np.float64(0.5))
    assert type(now()) is float
    loop = asyncio.get_running_loop()
    ints: asyncio.Future[None] = loop.create_future()
    loop.call_at(3, ints.set_result, None)
    await ints
    assert type(now()) is float


@pytest.mark.parametrize("wrong", [math.nan, None, "soon"])
async def test_a_time_that_is_no_number_is_refused_where_it_is_set(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        asyncio.get_running_loop().call_at(wrong, print)


async def test_cancelled_timers_do_not_run_nor_take_the_time_there() -> None:
    loop = asyncio.get_running_loop()
    ran: list[int] = []
    for number in range(100):
        timer = loop.call_at(number, ran.append, number)
        if number % 2 or number > 50:
            timer.cancel()
            assert timer.cancelled()
    soon = loop.call_soon(ran.append, -1)
    soon.cancel()
    await asyncio.sleep(50)
    assert ran == list(range(0, 51, 2))
    assert now() == 50


async def test_a_timer_cancelled_by_another_due_with_it_does_not_run() -> None:
    loop = asyncio.get_running_loop()
    ran: list[str] = []
    loop.call_at(1, lambda: second.cancel())
    second = loop.call_at(1, ran.append, "second")
    await asyncio.sleep(2)
    assert ran == []


@pytest.mark.parametrize("live", [0, 3000])
def test_cancelled_timeouts_do_not_pile_up(virtual_loop: VirtualLoop, live: int) -> None:
    for number in range(live):
        virtual_loop.call_at(number, lambda: None)
    most = 0
    for _ in range(100_000):
        virtual_loop.call_later(3600, lambda: None).cancel()
        most = max(most, len(virtual_loop._timers))
    assert most <= max(2 * live, live + 1000) + 2
    virtual_loop.run_until_complete(asyncio.sleep(live))
    assert virtual_loop.time() == live


async def test_timers_that_have_run_do_not_count_as_cancelled_when_asyncio_cancels_them_afterwards() -> None:
    for _ in range(100):
        await asyncio.sleep(1)
        async with asyncio.timeout(0.5):
            await asyncio.sleep(0)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    assert loop._cancelled == len(loop._timers) <= 1


def test_a_callback_runs_in_the_context_that_it_was_set_in(virtual_loop: VirtualLoop) -> None:
    tier: ContextVar[str] = ContextVar("tier", default="none")
    seen: list[str] = []
    other = copy_context()
    other.run(tier.set, "other")
    virtual_loop.call_soon(lambda: seen.append(tier.get()), context=other)
    virtual_loop.call_later(1, lambda: seen.append(tier.get()), context=other)
    virtual_loop.call_later(2, lambda: seen.append(tier.get()))
    tier.set("later")
    virtual_loop.run_until_complete(asyncio.sleep(3))
    assert seen == ["other", "other", "none"]


@pytest.mark.parametrize("debug", [False, True])
def test_an_exception_in_a_callback_reaches_the_handler_and_the_loop_goes_on(debug: bool) -> None:
    told: list[dict[str, Any]] = []

    def breaks() -> None:
        raise ValueError("broken")

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: told.append(context))
        loop.call_soon(breaks)
        loop.call_later(1, breaks)
        await asyncio.sleep(2)

    with asyncio.Runner(debug=debug, loop_factory=VirtualLoop) as runner:
        runner.run(work())
    assert [str(context["exception"]) for context in told] == ["broken", "broken"]
    assert "breaks" in told[0]["message"]
    assert "Timer" in repr(told[1]["handle"])


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_what_must_end_the_program_passes_through(
    virtual_loop: VirtualLoop, error: type[BaseException]
) -> None:
    def breaks() -> None:
        raise error

    virtual_loop.call_later(1, breaks)
    with pytest.raises(error):
        virtual_loop.run_until_complete(asyncio.sleep(2))


def test_a_stopped_loop_ends_its_turn_and_goes_on_when_it_is_run_again(virtual_loop: VirtualLoop) -> None:
    ran: list[str] = []
    virtual_loop.call_soon(virtual_loop.stop)
    virtual_loop.call_soon(lambda: virtual_loop.call_soon(ran.append, "next turn"))
    virtual_loop.call_soon(ran.append, "this turn")
    virtual_loop.run_forever()
    assert ran == ["this turn"]
    virtual_loop.run_until_complete(asyncio.sleep(1))
    assert ran == ["this turn", "next turn"]
