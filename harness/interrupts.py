"""Running to an orderly end: a signal cancels the work, the clean-up runs, then we say which it was."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from harness.errors import LimplockError
from harness.exit_codes import ExitCode

T = TypeVar("T")


class Interrupted(LimplockError):
    """Ctrl-C, after clean-up."""

    exit_code = ExitCode.INTERRUPTED


class Terminated(LimplockError):
    """SIGTERM, after clean-up."""

    exit_code = ExitCode.TERMINATED


class HungUp(LimplockError):
    """SIGHUP, after clean-up: the terminal was closed."""

    exit_code = ExitCode.HUNG_UP


ENDS: dict[signal.Signals, type[LimplockError]] = {
    signal.SIGINT: Interrupted,
    signal.SIGTERM: Terminated,
    signal.SIGHUP: HungUp,
}


def run_to_the_end(
    work: Coroutine[Any, Any, T], loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None
) -> T:
    """`asyncio.run`, ending in order on each of `ENDS`. Raises its error after the clean-up."""
    told: list[type[LimplockError]] = []

    async def watched() -> T:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for number in _to_watch():
            loop.add_signal_handler(number, _tell, told, ENDS[number], task)
        return await work

    before = {number: signal.getsignal(number) for number in _to_watch()}
    try:
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(watched())
    except asyncio.CancelledError:
        if told:
            raise told[0]("stopped and cleaned up") from None
        raise
    finally:
        for number, handler in before.items():  # asyncio leaves defaults, which raise or kill anywhere
            signal.signal(number, handler)


@contextmanager
def interruptible() -> Iterator[None]:
    """For work outside a loop: the first of `ENDS` raises its error, the rest wait.

    They are ignored from then on, so that what the block leaves behind is left in order.
    """

    def end(number: int, _frame: object) -> NoReturn:
        for each in ENDS:
            signal.signal(each, signal.SIG_IGN)
        raise ENDS[signal.Signals(number)]("stopped")

    before = {number: signal.signal(number, end) for number in _to_watch()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _to_watch() -> list[signal.Signals]:
    """`nohup` has us ignore SIGHUP: then the end of the terminal is to change nothing."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in ENDS if not (ignored and number is signal.SIGHUP)]


def _tell(told: list[type[LimplockError]], end: type[LimplockError], task: asyncio.Task[Any] | None) -> None:
    """Cancel once. Further signals change nothing: the clean-up is never skipped."""
    if not told and task is not None:
        told.append(end)
        task.cancel()
