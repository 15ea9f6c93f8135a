"""The reset_peer toxic on streams in memory."""

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.reset_peer import ResetPeer
from tests.faults.toxiproxy.streams import Stream, until


async def test_an_idle_connection_lives_on() -> None:
    stream = Stream(ResetPeer(timeout=10))
    await until(100.0)
    assert stream.ending is None


async def test_it_resets_so_long_after_the_first_data_and_lets_none_through() -> None:
    stream = Stream(ResetPeer(timeout=300))
    await stream.say(1.0, b"a")
    await stream.say(1.2, b"b")
    await until(5.0)
    assert stream.came == []
    assert stream.ending == (1.3, End.RESET)


async def test_it_resets_so_long_after_an_end_without_data() -> None:
    stream = Stream(ResetPeer(timeout=300))
    await until(1.0)
    stream.link.end(End.EOF)
    await until(5.0)
    assert stream.ending == (1.3, End.RESET)


async def test_an_update_counts_from_the_first_data_too() -> None:
    stream = Stream(ResetPeer(timeout=60_000))
    await stream.say(1.0, b"a")
    await until(1.5)
    stream.link.replace("t0", ResetPeer(timeout=800))
    await until(5.0)
    assert stream.ending == (1.8, End.RESET)


async def test_removal_in_time_does_not_wait_and_loses_nothing() -> None:
    stream = Stream(ResetPeer(timeout=60_000))
    await stream.say(1.0, b"a", b"b")
    await until(2.0)
    stream.link.remove("t0")
    assert stream.came == [(2.0, b"a"), (2.0, b"b")]
    assert stream.ending is None


def test_a_negative_timeout_is_refused() -> None:
    with pytest.raises(ValueError, match="timeout: expected a whole number from 0"):
        ResetPeer(timeout=-1)
