"""The timeout toxic on streams in memory."""

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.timeout import Timeout
from tests.faults.toxiproxy.streams import Stream, until


async def test_data_is_lost_and_silence_closes_the_connection() -> None:
    stream = Stream(Timeout(timeout=300))
    await stream.say(0.1, b"lost")
    await until(2.0)
    assert stream.came == []
    assert stream.ending == (0.4, End.CLOSE)


async def test_data_starts_the_timer_afresh() -> None:
    stream = Stream(Timeout(timeout=300))
    for n in range(10):
        await stream.say(n * 0.2, b"x")
    assert stream.ending is None
    await until(3.0)
    assert stream.ending == (2.1, End.CLOSE)


async def test_zero_never_closes() -> None:
    stream = Stream(Timeout(timeout=0))
    await stream.say(0.0, b"lost")
    await until(100_000.0)
    assert stream.came == []
    assert stream.ending is None


async def test_the_peer_may_still_end_the_stream() -> None:
    stream = Stream(Timeout(timeout=0))
    await stream.say(1.0, b"lost")
    stream.link.end(End.EOF)
    await until(2.0)
    assert stream.ending == (1.0, End.EOF)


async def test_removal_closes_the_connection_since_bytes_are_missing() -> None:
    stream = Stream(Timeout(timeout=0))
    await stream.say(1.0, b"lost")
    stream.link.remove("t0")
    assert stream.ending == (1.0, End.CLOSE)


async def test_it_closes_behind_what_a_later_toxic_still_holds() -> None:
    stream = Stream(Latency(latency=500))
    await stream.say(0.0, b"kept")
    stream.link.insert(0, "hole", Timeout(timeout=100), None)
    await until(2.0)
    assert stream.data == b"kept"
    assert stream.ending == (0.5, End.CLOSE)


def test_a_negative_timeout_is_refused() -> None:
    with pytest.raises(ValueError, match="timeout"):
        Timeout(timeout=-5)
