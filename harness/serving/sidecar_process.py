"""A process of ours beside a worker, from inside: it does one thing to the worker while its lease is renewed.

It undoes what it did when the lease ends, when it is told to go, and when the main process is gone, which the
kernel tells by closing the pipe. Each order is answered, and nothing else is sent, so that a main process
which does not read holds up nobody.
"""

import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol


class Deed(Protocol):
    """What is done."""

    def take(self, wanted: Any) -> None:
        """Do this from now on. OSError or ValueError says in one line why not."""
        ...

    def go_on(self) -> float:
        """A bit of it. Seconds until it must go on, at most."""
        ...

    def seen(self) -> Mapping[str, float]:
        """What it measures of itself."""
        ...

    def undo(self) -> None:
        """As before. Also if nothing was taken."""
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """To the process. `wanted` None only asks what is seen, and renews nothing."""

    number: int
    wanted: Any = None
    lease_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Told:
    """From the process: first that it is up (number 0), then an answer to each order."""

    number: int
    refused: str = ""
    seen: Mapping[str, float] = field(default_factory=dict)


def serve_orders(main: Connection, make: Callable[..., Deed], *args: Any) -> None:
    """Entry of the process."""
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)  # the whole group hears them; the main process decides
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that `finally` runs
    deed = make(*args)
    try:
        with suppress(EOFError, OSError):
            main.send(Told(0))
            _serve(main, deed)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        deed.undo()


def _serve(main: Connection, deed: Deed) -> None:
    """Until the end of the pipe, of the main process, or of the lease."""
    parent = multiprocessing.parent_process()
    ends: list[Connection | int] = [main] if parent is None else [main, parent.sentinel]
    until_s = None  # before the first order there is nothing that could end
    while until_s is None or time.monotonic() < until_s:
        pause_s = None if until_s is None else min(deed.go_on(), max(0.0, until_s - time.monotonic()))
        ready = wait(ends, pause_s)
        if any(end is not main for end in ready):
            return
        if ready:
            order: Order = main.recv()
            refused = ""
            if order.wanted is not None:
                refused = _take(deed, order.wanted)
                until_s = time.monotonic() + order.lease_s
            main.send(Told(order.number, refused, dict(deed.seen())))


def _take(deed: Deed, wanted: Any) -> str:
    try:
        deed.take(wanted)
    except (OSError, ValueError) as refused:
        return str(refused) or type(refused).__name__
    return ""
