"""Signals during a real run within a test: whatever ends the test, the run is cleaned up first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from harness.interrupts import ENDS, Interrupted


@contextmanager
def cleaned_up_first() -> Iterator[None]:
    """For the main thread.

    A time limit that raises from SIGALRM in the middle of a loop would be lost in some task of it: the run
    is ended as by SIGTERM, and then the limit's own handler is called. Ctrl-C is a KeyboardInterrupt again.
    """
    limit = signal.getsignal(signal.SIGALRM)
    rung: list[FrameType | None] = []

    before = {number: signal.getsignal(number) for number in ENDS}

    def ring(number: int, frame: FrameType | None) -> None:
        if signal.getsignal(signal.SIGTERM) == before[signal.SIGTERM]:  # between two runs
            if callable(limit):
                limit(number, frame)
            return
        rung.append(frame)
        signal.raise_signal(signal.SIGTERM)

    if callable(limit):
        signal.signal(signal.SIGALRM, ring)
    try:
        yield
    except Interrupted as end:
        raise KeyboardInterrupt(str(end)) from None
    finally:
        for number, handler in (*before.items(), (signal.SIGALRM, limit)):
            signal.signal(number, handler)
        if rung and callable(limit):
            limit(signal.SIGALRM, rung[0])
