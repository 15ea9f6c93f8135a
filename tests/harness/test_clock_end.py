"""How a virtual run ends: by itself or by a signal, and what it leaves behind."""

import asyncio
import gc
import math
import os
import signal
from collections.abc import AsyncIterator, Iterator

import pytest

from harness.clock import VirtualLoop, run_virtual


def now() -> float:
    return asyncio.get_running_loop().time()


def test_after_its_end_a_run_leaves_no_task_and_takes_no_more_calls() -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.sleep(math.inf)
        finally:
            await asyncio.sleep(5)
            ended.append(f"cleaned up at {now():g}")

    async def work() -> tuple[asyncio.AbstractEventLoop, asyncio.Task[None]]:
        task = asyncio.create_task(endless())
        await asyncio.sleep(1)
        return asyncio.get_running_loop(), task

    loop, task = run_virtual(work())
    assert task.cancelled()
    assert ended == ["cleaned up at 6"]
    assert loop.is_closed()
    for late in (loop.call_soon, loop.call_soon_threadsafe):
        with pytest.raises(RuntimeError, match="loop is closed"):
            late(print)
    for late_timer in (loop.call_at, loop.call_later):
        with pytest.raises(RuntimeError, match="loop is closed"):
            late_timer(1, print)
    loop.close()


async def test_a_running_loop_cannot_be_closed() -> None:
    with pytest.raises(RuntimeError, match="running"):
        asyncio.get_running_loop().close()
    await asyncio.sleep(1)


def test_async_generators_are_shut_down_wherever_they_are_dropped() -> None:
    ended: list[str] = []

    async def ticks(name: str) -> AsyncIterator[int]:
        try:
            for number in range(100):
                yield number
                await asyncio.sleep(1)
        finally:
            ended.append(name)

    async def work(kept: list[AsyncIterator[int]]) -> None:
        await anext(ticks("dropped in the run"))
        await asyncio.sleep(1)
        assert ended == ["dropped in the run"]
        kept += [ticks("dropped after the run"), ticks("kept")]
        for generator in kept:
            await anext(generator)

    kept: list[AsyncIterator[int]] = []
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work(kept))
        del kept[0]
        gc.collect()
    assert ended == ["dropped in the run", "dropped after the run", "kept"]


def test_a_signal_is_seen_at_once_by_a_loop_that_is_busy_and_its_handler_goes_with_the_loop() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[float] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, lambda name: seen.append(now()), "SIGINT")
        for second in range(1000):
            if second == 500:
                os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(1)

    run_virtual(work())
    assert seen == [500]
    assert signal.getsignal(signal.SIGINT) is before


async def test_a_signal_handler_can_be_replaced_and_taken_back() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    loop = asyncio.get_running_loop()
    seen: list[str] = []
    loop.add_signal_handler(signal.SIGUSR1, seen.append, "first")
    loop.add_signal_handler(signal.SIGUSR1, seen.append, "second")
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.sleep(0)
    assert seen == ["second"]
    assert loop.remove_signal_handler(signal.SIGUSR1)
    assert not loop.remove_signal_handler(signal.SIGUSR1)
    assert signal.getsignal(signal.SIGUSR1) is before


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A program that was started in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_without_a_handler_cancels_the_work_and_lets_it_clean_up() -> None:
    ended: list[float] = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                await asyncio.sleep(1)
        finally:
            await asyncio.sleep(2)
            ended.append(now())

    with pytest.raises(KeyboardInterrupt):
        run_virtual(work())
    assert len(ended) == 1
    assert ended[0] <= 3


def test_nothing_is_left_that_warns_when_it_is_collected() -> None:
    run_virtual(asyncio.sleep(1))
    gc.collect()  # warnings are errors here
