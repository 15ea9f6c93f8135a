"""Ends what a task waits for once its time has run out: `asyncio.timeout` at a fraction of the cost."""

import asyncio
from collections.abc import Callable

NEVER = float("inf")


class Expiry:
    """For the task that makes it. One that was cancelled by somebody else too is theirs to end."""

    __slots__ = ("_cancelled_before", "_handle", "_ran_out", "_task", "loop")

    def __init__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("timers are used from within a task")
        self.loop = asyncio.get_running_loop()
        self._task = task
        self._cancelled_before = task.cancelling()
        self._handle: asyncio.TimerHandle | None = None
        self._ran_out = False

    def look_at(self, when_s: float, look: Callable[[], None]) -> None:
        """Call `look` at loop time `when_s`, instead of what was to be called before."""
        if self._handle is not None:
            self._handle.cancel()
        self._handle = None if when_s == NEVER else self.loop.call_at(when_s, look)

    def run_out(self) -> None:
        """End what the task waits for."""
        self._ran_out = True
        self._task.cancel()

    def stop(self) -> bool:
        """Watch no longer. Whether time ran out, and nobody else wants the task to end."""
        if self._handle is not None:
            self._handle.cancel()
        if not self._ran_out:
            return False
        self._ran_out = False
        return self._task.uncancel() <= self._cancelled_before
