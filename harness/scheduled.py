"""What a virtual loop is going to run. asyncio's own handles carry more and take longer to make."""

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from math import inf
from typing import Any, Protocol


class CountsDropped(Protocol):
    """Counts the timers that were cancelled before they were due."""

    def dropped(self) -> None: ...


class VirtualHandle(asyncio.TimerHandle):
    """What runs next, unless it is cancelled. None of what the base class keeps is in use."""

    __slots__ = ("args", "callback", "context")

    def __init__(
        self, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None
    ) -> None:
        self.callback: Callable[..., object] | None = callback
        self.args = args
        self.context = copy_context() if context is None else context

    def cancel(self) -> None:
        self.callback = None
        self.args = ()

    def cancelled(self) -> bool:
        return self.callback is None

    def get_context(self) -> Context:
        return self.context

    def __repr__(self) -> str:
        name = getattr(self.callback, "__qualname__", repr(self.callback))
        return f"<{type(self).__name__} {'cancelled' if self.callback is None else name}>"

    __hash__ = object.__hash__
    __eq__ = object.__eq__


class VirtualTimer(VirtualHandle):
    """What runs at a time."""

    __slots__ = ("at", "loop")

    def __init__(
        self,
        at: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context | None,
        loop: CountsDropped,
    ) -> None:
        if not at <= inf:
            raise ValueError(f"a time must be a number, got {at}")
        self.at = at
        self.loop: CountsDropped | None = loop  # None once it is due
        self.callback = callback
        self.args = args
        self.context = copy_context() if context is None else context

    def cancel(self) -> None:
        if self.callback is not None:
            self.callback = None
            self.args = ()
            if self.loop is not None:
                self.loop.dropped()

    def when(self) -> float:
        return self.at
