"""The slow_accept toxic: late is what comes early in a connection, and nothing else."""

import pytest

from faults.toxiproxy.toxics.slow_accept import SlowAccept
from tests.faults.toxiproxy.streams import Stream, until


async def test_what_comes_early_waits_until_the_connection_is_old_enough() -> None:
    stream = Stream(SlowAccept(delay=500))
    start_s = await stream.begin()
    for after_s in (0.0, 0.3, 0.7):
        await stream.say(start_s + after_s, b"x")
    await until(start_s + 2.0)
    assert [at_s - start_s for at_s, _ in stream.came] == pytest.approx([0.5, 0.5, 0.7])


async def test_a_connection_that_stands_is_not_slowed() -> None:
    stream = Stream(SlowAccept(delay=500))
    start_s = await stream.begin()
    await stream.say(start_s + 3.0, b"x")
    await until(start_s + 4.0)
    assert [at_s - start_s for at_s, _ in stream.came] == pytest.approx([3.0])
