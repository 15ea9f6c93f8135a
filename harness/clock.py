"""The clocks: a real loop, and a virtual one whose time stands still while anything can run and then jumps.

Under the virtual loop an hour takes as long as what happens in it, and the same program runs in the same
order every time: timers that are due together run in the order in which they were set. Everything that would
wait for the world outside, sockets, threads, processes, is refused.
"""

import asyncio
import signal
import threading
from asyncio import base_events
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, NoReturn, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_CLEAN_UP_ABOVE = 1000  # cancelled timers; below it they are cheaper to skip than to sort out
_NAMED = 10  # waiting tasks that a deadlock names


class Deadlock(RuntimeError):
    """Everything waits and nothing is scheduled: it would wait for ever."""


class OutsideWorld(RuntimeError):
    """Something under the virtual loop reached for a socket, a thread or a process."""


def run_virtual(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` from time 0 on a loop of its own. Raises what it raises, Deadlock or OutsideWorld."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


class VirtualLoop(base_events.BaseEventLoop):
    """Time is a number that starts at 0 and moves only when nothing is left to do at it."""

    def __init__(self) -> None:
        super().__init__()
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = count()
        self._cancelled = 0
        self._now = 0.0
        self._signals: dict[int, Any] = {}
        self._stopping: bool = False

    def time(self) -> float:
        return self._now

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        heappush(self._timers, (when, next(self._numbers), timer))
        timer._scheduled = True  # type: ignore[attr-defined]  # noqa: SLF001 - so that it tells us when it is cancelled
        return timer

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """From our own thread only, which is where signal handlers run."""
        if threading.get_ident() != self._thread_id:  # type: ignore[attr-defined]
            _refuse("a call from another thread")
        return self.call_soon(callback, *args, context=context)

    def add_signal_handler(self, sig: int, callback: Callable[[*Ts], object], *args: *Ts) -> None:
        """Never blocked in a system call, the loop sees a signal before its next callback."""
        before = signal.signal(sig, lambda *_: self.call_soon(callback, *args))
        self._signals.setdefault(sig, before)

    def remove_signal_handler(self, sig: int) -> bool:
        if sig not in self._signals:
            return False
        signal.signal(sig, self._signals.pop(sig))
        return True

    def close(self) -> None:
        for sig in list(self._signals):
            self.remove_signal_handler(sig)
        self._timers.clear()
        super().close()

    # What base_events calls.

    def _run_once(self) -> None:
        ready = self._ready
        if not ready and not self._stopping:
            self._jump()
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:  # noqa: SLF001 - as base_events does
                handle._run()  # noqa: SLF001 - likewise

    def _timer_handle_cancelled(self, _timer: asyncio.TimerHandle) -> None:
        self._cancelled += 1
        if self._cancelled > _CLEAN_UP_ABOVE and self._cancelled > len(self._timers) // 2:
            self._timers = [entry for entry in self._timers if not entry[2].cancelled()]
            heapify(self._timers)
            self._cancelled = 0

    def _jump(self) -> None:
        """Go to the next timer and make ready all that are due with it."""
        timers = self._timers
        while timers and timers[0][2].cancelled():
            heappop(timers)
            self._cancelled -= 1
        if not timers:
            raise Deadlock(f"nothing is scheduled at {self._now:g} s and nothing can run. {_who_waits(self)}")
        when = timers[0][0]
        self._now = max(self._now, when)
        while timers and timers[0][0] <= when:
            timer = heappop(timers)[2]
            timer._scheduled = False  # type: ignore[attr-defined]  # noqa: SLF001 - see call_at
            if timer.cancelled():
                self._cancelled -= 1
            else:
                self._ready.append(timer)


def _refuse(what: str) -> NoReturn:
    raise OutsideWorld(
        f"a virtual run has no sockets, threads or processes, but {what} was asked for."
        " Use an in-memory part instead, or a real run"
    )


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(self: VirtualLoop, *_args: object, **_kwargs: object) -> NoReturn:
        _refuse(name)

    refuse.__name__ = name
    return refuse


# Coroutines among them refuse when called, which is sooner than when awaited.
for _name in (
    "run_in_executor",
    "getaddrinfo",
    "getnameinfo",
    "create_connection",
    "create_server",
    "create_datagram_endpoint",
    "create_unix_connection",
    "create_unix_server",
    "connect_accepted_socket",
    "connect_read_pipe",
    "connect_write_pipe",
    "subprocess_shell",
    "subprocess_exec",
    "start_tls",
    "sendfile",
    "sock_sendfile",
    "sock_recv",
    "sock_recv_into",
    "sock_recvfrom",
    "sock_recvfrom_into",
    "sock_sendall",
    "sock_sendto",
    "sock_connect",
    "sock_accept",
    "add_reader",
    "add_writer",
    "remove_reader",
    "remove_writer",
):
    setattr(VirtualLoop, _name, _refused(_name))


def _who_waits(loop: VirtualLoop) -> str:
    """The tasks that wait, each with the innermost place that it waits at."""
    places = sorted(f"{task.get_name()} in {_place(task)}" for task in asyncio.all_tasks(loop))
    if not places:
        return "No task waits: a future is awaited that nobody will set"
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return f"{len(places)} waiting: {'; '.join(places[:_NAMED])}{more}"


def _place(task: "asyncio.Task[Any]") -> str:
    """`Service._slot (service.py:55)`, following what awaits what down to the last coroutine of ours."""
    coroutine: Any = task.get_coro()
    while (inner := getattr(coroutine, "cr_await", None)) is not None and hasattr(inner, "cr_await"):
        coroutine = inner
    frame = getattr(coroutine, "cr_frame", None)
    name = getattr(coroutine, "__qualname__", repr(coroutine))
    if frame is None:
        return str(name)
    return f"{name} ({frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno})"
