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
from contextvars import Context, copy_context
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import Any, NoReturn, TypeVar, TypeVarTuple

from harness.scheduled import VirtualHandle, VirtualTimer
from harness.who_waits import who_waits

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_CLEAN_UP_ABOVE = 1000  # cancelled timers; below it they are cheaper to skip than to sort out
_LAST = 2**60  # more timers than will ever be set
_TURNS_AT_ONE_TIME = 10_000_000  # about ten seconds of real time


class Deadlock(RuntimeError):
    """Everything waits and nothing is scheduled: it would wait for ever."""


class Livelock(RuntimeError):
    """Something runs again and again without waiting, so that time stands still: it would run for ever."""


class OutsideWorld(RuntimeError):
    """Something under the virtual loop reached for a socket, a thread or a process."""


def run_virtual(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` from time 0 on a loop of its own. Raises what it raises, and the three errors above."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


class VirtualLoop(base_events.BaseEventLoop):
    """Time is a number that starts at 0 and moves only when nothing is left to do at it."""

    def __init__(self) -> None:
        super().__init__()
        self._ready: deque[VirtualHandle] = deque()
        self._timers: list[tuple[float, int, VirtualTimer]] = []
        self._numbers = count()
        self._cancelled = 0  # of `_timers`
        self._now = 0.0
        self._signals: dict[int, Any] = {}
        self._sigint = signal.getsignal(signal.SIGINT)  # asyncio.Runner puts its own in its place afterwards
        self._stopping: bool = False

    def time(self) -> float:
        return self._now

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        handle = VirtualHandle(callback, args, context)
        self._ready.append(handle)
        return handle

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = VirtualTimer(when, callback, args, context, self)
        heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    def call_at_last(self, when: float, rank: int, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """As `call_at`, after everything else of that moment, also what comes of it; the lower `rank` first.

        So what ends at a time ends after whatever else happens then, whenever the timers were set.
        """
        timer = VirtualTimer(when, callback, (), None, self)
        heappush(self._timers, (when, _LAST * (1 + rank) + next(self._numbers), timer))
        return timer

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        when = self._now + delay  # what follows is call_at once more: passing it all on takes longer
        timer = VirtualTimer(when, callback, args, context, self)
        heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """From our own thread only, which is where signal handlers and finalizers run."""
        running_in = self._thread_id  # type: ignore[attr-defined]  # base_events sets it, typeshed omits it
        if running_in not in (None, threading.get_ident()):
            _refuse("a call from another thread")
        return self.call_soon(callback, *args, context=context)

    def add_signal_handler(self, sig: int, callback: Callable[[*Ts], object], *args: *Ts) -> None:
        """Never blocked in a system call, the loop sees a signal in its next turn."""
        context = copy_context()  # ours, not that of what the signal interrupts
        before = signal.signal(sig, lambda *_: self.call_soon(callback, *args, context=context))
        self._signals.setdefault(sig, before)

    def remove_signal_handler(self, sig: int) -> bool:
        """Bring back what was there before."""
        if sig not in self._signals:
            return False
        before = self._signals.pop(sig)
        signal.signal(sig, signal.SIG_DFL if before is None else before)  # None: not set from Python
        return True

    def close(self) -> None:
        super().close()
        self._timers.clear()
        if signal.SIGINT in self._signals:
            self._signals[signal.SIGINT] = self._sigint
        for sig in list(self._signals):
            self.remove_signal_handler(sig)
        for name in ("call_soon", "call_at", "call_later"):  # instead of a question in each call
            setattr(self, name, _closed)

    def dropped(self) -> None:
        """A timer that is still to come was cancelled."""
        self._cancelled += 1
        if self._cancelled > _CLEAN_UP_ABOVE and self._cancelled > len(self._timers) // 2:
            self._timers[:] = [entry for entry in self._timers if not entry[2].cancelled()]
            heapify(self._timers)
            self._cancelled = 0

    def _run_once(self) -> None:
        """What base_events calls until it is told to stop. We stay in here until then, which is quicker."""
        ready = self._ready
        turns = 0
        while True:
            turns += 1
            if not ready and not self._stopping and self._jump():
                turns = 0
            left = len(ready)  # what they make ready runs in the next turn
            while left:
                left -= 1
                handle = ready.popleft()
                if (callback := handle.callback) is not None:
                    try:
                        handle.context.run(callback, *handle.args)
                    except (SystemExit, KeyboardInterrupt):
                        raise
                    except BaseException as error:  # as base_events: a callback ends nobody but itself
                        self._broken(handle, error)
            if self._stopping:
                return
            if turns > _TURNS_AT_ONE_TIME:
                raise Livelock(
                    f"time stands still at {self._now:g} s: something goes on without waiting, or polls by"
                    f" sleeping no time. {who_waits(asyncio.all_tasks(self))}"
                )

    def _jump(self) -> bool:
        """Go to the next timer and make ready all that are due with it. Whether time has moved."""
        timers = self._timers
        while timers and timers[0][2].callback is None:
            heappop(timers)
            self._cancelled -= 1
        if not timers or timers[0][0] == inf:
            raise Deadlock(
                f"nothing is scheduled at {self._now:g} s and nothing can run."
                f" {who_waits(asyncio.all_tasks(self))}"
            )
        before = self._now
        self._now = now = max(before, float(timers[0][0]))
        while timers and timers[0][0] <= now and not (self._ready and timers[0][1] >= _LAST):
            timer = heappop(timers)[2]
            if timer.callback is None:
                self._cancelled -= 1
            else:
                timer.loop = None
                self._ready.append(timer)
        return now > before

    def _broken(self, handle: VirtualHandle, error: BaseException) -> None:
        self.call_exception_handler(
            {"message": f"Exception in callback {handle!r}", "exception": error, "handle": handle}
        )


def _closed(*_args: object, **_kwargs: object) -> NoReturn:
    raise RuntimeError("Event loop is closed")


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
for _name in """
    run_in_executor set_default_executor getaddrinfo getnameinfo create_connection create_server
    create_datagram_endpoint create_unix_connection create_unix_server connect_accepted_socket
    connect_read_pipe connect_write_pipe subprocess_shell subprocess_exec start_tls sendfile sock_sendfile
    sock_recv sock_recv_into sock_recvfrom sock_recvfrom_into sock_sendall sock_sendto sock_connect
    sock_accept add_reader add_writer remove_reader remove_writer
""".split():
    setattr(VirtualLoop, _name, _refused(_name))
