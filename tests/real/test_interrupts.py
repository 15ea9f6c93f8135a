"""Signals end the work in order: the clean-up runs, then the ending says which signal it was."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from harness.errors import LimplockError
from harness.interrupts import ENDS, interruptible, run_to_the_end

pytestmark = pytest.mark.real


async def signalled(number: signal.Signals, times: int, seen: list[str]) -> None:
    try:
        for _ in range(times):
            os.kill(os.getpid(), number)
        await asyncio.sleep(30)
    finally:
        await asyncio.sleep(0.05)
        seen.append("cleaned up")


@pytest.mark.parametrize(("number", "ending"), ENDS.items())
@pytest.mark.parametrize("times", [1, 3])
def test_a_signal_cancels_once_and_the_clean_up_runs_to_its_end(
    number: signal.Signals, ending: type[LimplockError], times: int
) -> None:
    seen: list[str] = []
    with pytest.raises(ending, match="stopped and cleaned up"):
        run_to_the_end(signalled(number, times, seen))
    assert seen == ["cleaned up"]


def test_without_a_signal_the_result_comes_back() -> None:
    assert run_to_the_end(asyncio.sleep(0, "done")) == "done"


def test_a_failure_of_the_work_is_raised_as_it_is() -> None:
    async def fail() -> None:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        run_to_the_end(fail())


@pytest.fixture
def nohup() -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGHUP, before)


async def hung_up() -> str:
    os.kill(os.getpid(), signal.SIGHUP)
    await asyncio.sleep(0.05)
    return "went on"


def test_under_nohup_the_end_of_the_terminal_changes_nothing(nohup: None) -> None:
    assert run_to_the_end(hung_up()) == "went on"


@pytest.mark.parametrize(("number", "ending"), ENDS.items())
def test_outside_a_loop_the_first_signal_ends_the_work_and_the_rest_wait(
    number: signal.Signals, ending: type[LimplockError]
) -> None:
    def work() -> None:
        try:
            os.kill(os.getpid(), number)
        finally:
            for each in ENDS:
                os.kill(os.getpid(), each)

    with pytest.raises(ending, match="stopped"), interruptible():
        work()
