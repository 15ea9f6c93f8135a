"""Virtual time by default: the clock jumps to the next timer, so nothing really sleeps. `real` tests get a
real loop.
"""

import asyncio
import selectors
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time stands still while anything is ready and then jumps to the next timer."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jump(self))

    def time(self) -> float:
        return self.now

    def next_timer_s(self) -> float:
        return self._scheduled[0].when()


class _Jump(selectors.SelectSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self.loop = loop

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("deadlock: everything waits and nothing is scheduled")
        if timeout > 0:
            self.loop.now = self.loop.next_timer_s()
        return super().select(0)


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("real"):
        return {"real": asyncio.new_event_loop}
    return {"virtual": VirtualLoop}


@pytest.fixture
def virtual_loop() -> Iterator[VirtualLoop]:
    """A loop of one's own, for tests that are not coroutines themselves."""
    loop = VirtualLoop()
    yield loop
    loop.close()
