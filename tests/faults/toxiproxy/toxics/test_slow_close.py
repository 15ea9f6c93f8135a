"""The slow_close toxic on streams in memory."""

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.slow_close import SlowClose
from tests.faults.toxiproxy.streams import Stream, until


async def test_only_the_end_is_late() -> None:
    stream = Stream(SlowClose(delay=300))
    await stream.say(1.0, b"a", b"b")
    stream.link.end(End.EOF)
    await until(5.0)
    assert stream.came == [(1.0, b"a"), (1.0, b"b")]
    assert stream.ending == (1.3, End.EOF)


async def test_two_of_them_add_up() -> None:
    stream = Stream(SlowClose(delay=300), SlowClose(delay=200))
    stream.link.end(End.CLOSE)
    await until(5.0)
    assert stream.ending == (0.5, End.CLOSE)


async def test_removal_lets_the_end_go_on_at_once() -> None:
    stream = Stream(SlowClose(delay=60_000))
    await stream.say(1.0, b"a")
    stream.link.end(End.EOF)
    await until(2.0)
    stream.link.remove("t0")
    assert stream.data == b"a"
    assert stream.ending == (2.0, End.EOF)


def test_a_negative_delay_is_refused() -> None:
    with pytest.raises(ValueError, match="delay: expected a whole number from 0"):
        SlowClose(delay=-1)
