"""A virtual run whose time stands still because something never waits ends with an error."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from harness import clock
from harness.clock import Livelock, run_virtual


async def polls() -> None:
    while True:
        await asyncio.sleep(0)


async def polls_by_too_short_a_sleep() -> None:
    await asyncio.sleep(1000)
    while True:
        await asyncio.sleep(1e-20)  # nothing, next to a thousand


@pytest.mark.parametrize("work", [polls, polls_by_too_short_a_sleep])
def test_polling_while_time_stands_still_is_an_error_and_no_hang(
    monkeypatch: pytest.MonkeyPatch, work: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    monkeypatch.setattr(clock, "_TURNS_AT_ONE_TIME", 1000)
    with pytest.raises(Livelock, match=rf"time stands still at .*{work.__name__} \(test_clock_livelock"):
        run_virtual(work())


async def turns(times: int, each: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0.001)
        for _ in range(each):
            await asyncio.sleep(0)


def test_many_turns_at_many_times_are_no_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_TURNS_AT_ONE_TIME", 1000)

    run_virtual(turns(100, each=500))
