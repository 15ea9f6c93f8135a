"""The tests' own clock."""

import asyncio

import pytest

from harness.clock import Deadlock


async def test_an_hour_passes_at_once_and_ends_exactly():
    await asyncio.sleep(0.1)
    await asyncio.sleep(3599.9)
    assert asyncio.get_running_loop().time() == 0.1 + 3599.9


def test_waiting_for_what_cannot_come_fails_instead_of_hanging(virtual_loop):
    with pytest.raises(Deadlock, match="nothing is scheduled"):
        virtual_loop.run_until_complete(virtual_loop.create_future())
