"""Waiting until a time, or until somebody has news before it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

CallAt = Callable[[float, Callable[[], None]], asyncio.TimerHandle]

NEVER = float("inf")


@dataclass(slots=True)
class Waiter:
    """One waits at a time. `call_at` sets the timer, the loop's own unless another is given."""

    call_at: CallAt | None = None
    _woken: asyncio.Future[bool] | None = field(default=None, repr=False)
    _timer: asyncio.TimerHandle | None = field(default=None, repr=False)

    async def wait(self, until_s: float) -> bool:
        """Whether loop time `until_s` has come, and not news before it."""
        self._woken = asyncio.get_running_loop().create_future()
        self._set_timer(until_s)
        try:
            return await self._woken
        finally:
            self._woken = None
            self._drop_timer()

    def wake(self) -> None:
        """There are news."""
        self._resume(due=False)

    def move(self, until_s: float) -> None:
        """Whoever waits is to wait until then instead."""
        if self._woken is not None:
            self._drop_timer()
            self._set_timer(until_s)

    def _set_timer(self, until_s: float) -> None:
        if until_s != NEVER:
            call_at = self.call_at or asyncio.get_running_loop().call_at
            self._timer = call_at(until_s, self._is_due)

    def _drop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _is_due(self) -> None:
        self._resume(due=True)

    def _resume(self, *, due: bool) -> None:
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(due)
