"""The bandwidth toxic on streams in memory."""

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.bandwidth import Bandwidth
from tests.faults.toxiproxy.streams import Stream, until


async def test_a_hundred_kilobytes_at_a_hundred_a_second_take_a_second() -> None:
    stream = Stream(Bandwidth(rate=100))
    sent = bytes(n % 251 for n in range(100_000))
    await stream.say(0.0, sent)
    await until(5.0)
    assert stream.data == sent
    assert stream.times[-1] == pytest.approx(1.0)


async def test_data_leaves_in_pieces_of_a_tenth_of_a_second() -> None:
    stream = Stream(Bandwidth(rate=10))
    await stream.say(0.0, b"x" * 2_500)
    await until(5.0)
    assert [(round(at_s, 3), len(data)) for at_s, data in stream.came] == [
        (0.1, 1000),
        (0.2, 1000),
        (0.25, 500),
    ]


async def test_an_idle_line_saves_nothing_up() -> None:
    stream = Stream(Bandwidth(rate=1))
    await stream.say(10.0, b"x" * 100)
    await until(20.0)
    assert stream.times == [10.1]


async def test_rate_zero_holds_everything_and_removal_loses_nothing() -> None:
    stream = Stream(Bandwidth(rate=0))
    await stream.say(0.0, b"a", b"b")
    await until(100.0)
    assert stream.came == []
    stream.link.remove("t0")
    assert stream.data == b"ab"


async def test_an_update_keeps_what_was_half_sent() -> None:
    stream = Stream(Bandwidth(rate=1))
    sent = bytes(n % 251 for n in range(1_000))
    await stream.say(0.0, sent)
    await until(0.35)
    assert stream.data == sent[:300]
    stream.link.replace("t0", Bandwidth(rate=1000))
    await until(0.36)
    assert stream.data == sent


async def test_pressure_goes_back_to_the_sender_and_is_let_off() -> None:
    stream = Stream(Bandwidth(rate=100))
    await stream.say(0.0, *[b"x" * 10_000] * 20)
    assert not stream.reading
    await until(1.5)
    assert stream.reading


async def test_the_end_comes_behind_the_data() -> None:
    stream = Stream(Bandwidth(rate=1))
    await stream.say(0.0, b"x" * 50)
    stream.link.end(End.EOF)
    await until(1.0)
    assert stream.ending == (0.05, End.EOF)


def test_a_negative_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="rate: expected a whole number from 0 to 1000000000, got -1"):
        Bandwidth(rate=-1)
