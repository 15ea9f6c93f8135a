"""The limit_data toxic on streams in memory."""

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.limit_data import LimitData
from tests.faults.toxiproxy.streams import Stream, settle, until


@pytest.mark.parametrize("chunks", [[b"abcdef"], [b"abc", b"def"], [b"a", b"b", b"cd", b"ef"]])
async def test_exactly_so_many_bytes_pass_and_then_the_connection_closes(chunks: list[bytes]) -> None:
    stream = Stream(LimitData(bytes=4))
    await stream.say(1.0, *chunks)
    await settle()
    assert stream.data == b"abcd"
    assert stream.ending == (1.0, End.CLOSE)


async def test_it_closes_with_the_last_byte_and_not_with_the_next_data() -> None:
    stream = Stream(LimitData(bytes=4))
    await stream.say(0.0, b"abcd")
    await settle()
    assert stream.ending == (0.0, End.CLOSE)


async def test_it_closes_even_if_the_stream_ends_right_there() -> None:
    stream = Stream(LimitData(bytes=4))
    await stream.say(0.0, b"abcd")
    stream.link.end(End.EOF)
    await settle()
    assert stream.ending == (0.0, End.CLOSE)


async def test_fewer_bytes_pass_with_their_own_ending() -> None:
    stream = Stream(LimitData(bytes=4))
    await stream.say(0.0, b"abc")
    stream.link.end(End.EOF)
    await settle()
    assert stream.data == b"abc"
    assert stream.ending == (0.0, End.EOF)


async def test_zero_closes_at_the_first_data_and_not_before() -> None:
    stream = Stream(LimitData(bytes=0))
    await until(100.0)
    assert stream.ending is None
    await stream.say(101.0, b"a")
    await settle()
    assert stream.came == []
    assert stream.ending == (101.0, End.CLOSE)


async def test_what_passed_before_an_update_counts() -> None:
    stream = Stream(LimitData(bytes=100))
    await stream.say(0.0, b"abc")
    await settle()
    stream.link.replace("t0", LimitData(bytes=5))
    await stream.say(1.0, b"defg")
    await settle()
    assert stream.data == b"abcde"
    assert stream.ending == (1.0, End.CLOSE)


async def test_a_limit_lowered_below_what_has_passed_closes_at_the_next_data() -> None:
    stream = Stream(LimitData(bytes=100))
    await stream.say(0.0, b"abcdef")
    await settle()
    stream.link.replace("t0", LimitData(bytes=3))
    await until(1.0)
    assert stream.ending is None
    await stream.say(2.0, b"g")
    await settle()
    assert stream.data == b"abcdef"
    assert stream.ending == (2.0, End.CLOSE)


async def test_what_a_later_toxic_holds_still_arrives_before_the_close() -> None:
    stream = Stream(LimitData(bytes=2), Latency(latency=500))
    await stream.say(0.0, b"abc")
    await until(1.0)
    assert stream.came == [(0.5, b"ab")]
    assert stream.ending == (0.5, End.CLOSE)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="bytes: expected a whole number from 0"):
        LimitData(bytes=-1)
