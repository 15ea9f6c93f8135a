"""Virtual time by default: nothing really sleeps. `real` tests get a real loop."""

import asyncio
from collections.abc import Callable, Iterator, Mapping

import pytest

from harness.clock import VirtualLoop


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
