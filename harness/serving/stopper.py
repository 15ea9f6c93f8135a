"""Stops and continues a worker's process, a share of each period: the deed of a sidecar.

Not the main process's business: its event loop is late under load, and it may die. How long the worker stood
still is read from the system, not taken from what was asked.
"""

import signal
import time
from collections.abc import Mapping
from contextlib import suppress

from harness.serving.halt import DutyCycle
from harness.serving.process_identity import is_stopped, runs, send

SEE_S = 0.002  # after a signal until its effect is looked for
LOOK_S = 0.1  # the longest time without a look
UNDO_TRIES = 200


class Stopper:
    """Of the process `pid` that began at `started_s`, and of no other that gets its number."""

    def __init__(self, pid: int, started_s: float) -> None:
        self._pid = pid
        self._started_s = started_s
        self._cycle: DutyCycle | None = None
        self._stops = False  # what it was told last
        self._looked_s = 0.0
        self._told_s = 0.0
        self._watched_s = 0.0
        self._stopped_s = 0.0

    def take(self, wanted: tuple[float, float]) -> None:
        """The share and the period in seconds. The same again lets the schedule go on as it is."""
        if not runs(self._pid, self._started_s):
            raise ProcessLookupError(f"process {self._pid} is gone")
        now = time.monotonic()
        if self._cycle is None:
            self._looked_s = now
        if self._cycle is None or (self._cycle.stopped_ratio, self._cycle.period_s) != wanted:
            self._cycle = DutyCycle(*wanted, since_s=now)
        self.go_on()

    def go_on(self) -> float:
        if self._cycle is None:
            return LOOK_S
        now = time.monotonic()
        self._look(now)
        stopped, until_s = self._cycle.at(now)
        if stopped != self._stops:
            self._tell(stopped=stopped)
            self._told_s = now
        fresh = now - self._told_s < SEE_S
        return min(max(0.0, until_s - now), SEE_S if fresh else LOOK_S)

    def seen(self) -> Mapping[str, float]:
        return {"stopped_seconds": self._stopped_s, "watched_seconds": self._watched_s}

    def undo(self) -> None:
        """Let it run, whatever it was told last, and see that it does."""
        for _ in range(UNDO_TRIES):
            if not send(signal.SIGCONT, self._pid, self._started_s) or not is_stopped(self._pid):
                return
            time.sleep(SEE_S)

    def _look(self, now: float) -> None:
        """Between two looks its state is that at the end: only we change it, and only right after a look."""
        since_s = now - self._looked_s
        self._looked_s = now
        self._watched_s += since_s
        if is_stopped(self._pid):
            self._stopped_s += since_s

    def _tell(self, *, stopped: bool) -> None:
        with suppress(PermissionError):  # then it shows in what is seen
            send(signal.SIGSTOP if stopped else signal.SIGCONT, self._pid, self._started_s)
        self._stops = stopped
