"""The cut toxic on streams in memory."""

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.cut import Cut
from faults.toxiproxy.toxics.latency import Latency
from tests.faults.toxiproxy.streams import Stream, until


# report 6: toxiproxy PR #195, #121
@pytest.mark.parametrize("every_s", [0.01, 0.1, 10.0])
async def test_a_connection_ends_after_so_long_whether_it_speaks_or_not(every_s: float) -> None:
    stream = Stream(Cut(after=300))
    for n in range(100):
        if n * every_s < 0.3:
            await stream.say(n * every_s, bytes([n]))
    await until(20.0)
    assert stream.ending == (0.3, End.CLOSE)


async def test_data_flows_at_once_until_the_cut() -> None:
    stream = Stream(Cut(after=300))
    await stream.say(0.1, b"a")
    await stream.say(0.2, b"b")
    assert stream.came == [(pytest.approx(0.1), b"a")]
    await until(0.4)
    assert stream.times == [0.1, 0.2]


async def test_a_stream_that_ends_earlier_ends_as_it_would_without() -> None:
    stream = Stream(Cut(after=300))
    await stream.say(0.1, b"a")
    stream.link.end(End.EOF)
    await until(1.0)
    assert stream.ending == (0.1, End.EOF)


async def test_it_counts_from_the_beginning_of_the_connection_not_of_the_toxic() -> None:
    stream = Stream()
    await until(0.2)
    stream.link.insert(0, "late", Cut(after=300), stream.rng())
    await until(1.0)
    assert stream.ending == (0.3, End.CLOSE)


async def test_what_is_held_at_the_cut_is_lost() -> None:
    stream = Stream(Latency(latency=200), Cut(after=300))
    await stream.say(0.05, b"a")
    await stream.say(0.15, b"b")
    await until(1.0)
    assert stream.data == b"a"
