"""Blocking work that can hang, done where hanging holds up neither the event loop nor the exit."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

T = TypeVar("T")


def in_daemon_thread(work: Callable[[], T]) -> "asyncio.Future[T]":
    """Run `work` in a thread of its own; the future gets its result or exception.

    Not the loop's executor: the interpreter joins an executor's threads at exit, so one that hangs would
    keep the process alive.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    future.add_done_callback(_seen)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # whatever it is, it belongs to the one who waits for the future
            _post(loop, future, partial(future.set_exception, error))
        else:
            _post(loop, future, partial(future.set_result, result))

    threading.Thread(target=run, name="toxiproxy-call", daemon=True).start()
    return future


def _post(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[T]", settle: Callable[[], None]) -> None:
    """Settle in the loop's own thread, unless the caller has given up or the loop has ended meanwhile."""
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(lambda: None if future.done() else settle())


def _seen(future: "asyncio.Future[T]") -> None:
    """An exception that comes after its caller gave up is no news."""
    if not future.cancelled():
        future.exception()
