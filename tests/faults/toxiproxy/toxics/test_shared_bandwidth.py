"""The shared_bandwidth toxic on several streams in memory."""

import pytest

from faults.toxiproxy.toxics.shared_bandwidth import SharedBandwidth
from tests.faults.toxiproxy.streams import Stream, until


# report 8: toxiproxy#613
@pytest.mark.parametrize("connections", [1, 2, 4, 7])
async def test_connections_split_one_rate_evenly(connections: int) -> None:
    toxic = SharedBandwidth(rate=100)
    streams = [Stream(toxic) for _ in range(connections)]
    for stream in streams:
        await stream.say(0.0, bytes(1_000_000))
    await until(5.0)
    came = [len(stream.data) for stream in streams]
    assert sum(came) == pytest.approx(500_000, rel=0.02)
    assert max(came) <= 1.1 * min(came)


async def test_one_that_is_alone_again_has_the_whole_rate() -> None:
    toxic = SharedBandwidth(rate=100)
    short, long = Stream(toxic), Stream(toxic)
    await short.say(0.0, bytes(100_000))
    await long.say(0.0, bytes(300_000))
    await until(10.0)
    assert short.times[-1] == pytest.approx(2.0, rel=0.05)
    assert long.times[-1] == pytest.approx(4.0, rel=0.05)


async def test_one_whose_reader_has_stopped_takes_nothing_from_the_others() -> None:
    toxic = SharedBandwidth(rate=100)
    stalled, flowing = Stream(toxic), Stream(toxic)
    stalled.link.pause()
    await stalled.say(0.0, bytes(300_000))
    await flowing.say(0.0, bytes(200_000))
    await until(10.0)
    assert flowing.times[-1] == pytest.approx(2.0, rel=0.05)


async def test_two_proxies_have_a_line_each() -> None:
    streams = [Stream(SharedBandwidth(rate=100)), Stream(SharedBandwidth(rate=100))]
    for stream in streams:
        await stream.say(0.0, bytes(100_000))
    await until(2.0)
    assert [stream.times[-1] for stream in streams] == [pytest.approx(1.0)] * 2


async def test_rate_0_holds_all_back() -> None:
    stream = Stream(SharedBandwidth())
    await stream.say(0.0, b"x")
    await until(100.0)
    assert stream.data == b""


def test_the_line_is_no_attribute() -> None:
    assert SharedBandwidth(rate=5).attributes() == {"rate": 5}
    assert SharedBandwidth(rate=5) == SharedBandwidth(rate=5)
