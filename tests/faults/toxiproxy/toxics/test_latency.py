"""The latency toxic on streams in memory."""

import random

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.latency import Latency
from tests.faults.toxiproxy.streams import Stream, ascending, until


async def test_each_chunk_comes_one_latency_after_it_was_received() -> None:
    stream = Stream(Latency(latency=100))
    await stream.say(0.0, b"a")
    await stream.say(0.03, b"b")
    await until(1.0)
    assert stream.came == [(pytest.approx(0.1), b"a"), (pytest.approx(0.13), b"b")]


async def test_a_burst_is_delayed_once_and_not_chunk_after_chunk() -> None:
    stream = Stream(Latency(latency=100))
    await stream.say(0.0, *(bytes([n]) for n in range(50)))
    await until(1.0)
    assert set(stream.times) == {0.1}
    assert stream.data == bytes(range(50))


async def test_two_latencies_add_up() -> None:
    stream = Stream(Latency(latency=100), Latency(latency=250))
    await stream.say(0.0, b"a")
    await stream.say(0.05, b"b")
    await until(1.0)
    assert stream.times == [0.35, 0.4]


async def test_jitter_varies_within_its_bounds_and_keeps_order() -> None:
    stream = Stream(Latency(latency=200, jitter=150))
    for n in range(40):
        await stream.say(n * 1.0, bytes([n]))
    await until(50.0)
    delays = [at_s - n for n, at_s in enumerate(stream.times)]
    assert all(0.05 <= delay <= 0.35 for delay in delays)
    assert max(delays) - min(delays) > 0.15
    assert stream.data == bytes(range(40))


async def test_a_burst_under_jitter_waits_for_its_slowest_and_keeps_order() -> None:
    stream = Stream(Latency(latency=200, jitter=200))
    await stream.say(0.0, *(bytes([n]) for n in range(30)))
    await until(1.0)
    assert ascending(stream.times)
    assert stream.data == bytes(range(30))
    assert stream.times[-1] > 0.3


# report 9: toxiproxy#556
async def test_jitter_delays_a_chunk_alone_by_the_latency_and_the_end_of_a_burst_by_more() -> None:
    """The n-th of n at one moment waits for the slowest: latency + jitter * (n - 1) / (n + 1) on average."""
    streams = [Stream(Latency(latency=200, jitter=200), seed=seed) for seed in range(400)]
    for stream in streams:
        for n in range(20):
            stream.link.feed(bytes([n]))
    await until(1.0)
    first_s, last_s = (sum(stream.came[n][0] for stream in streams) / len(streams) for n in (0, -1))
    assert first_s == pytest.approx(0.2, abs=0.02)  # its standard deviation is 0.006
    assert last_s == pytest.approx(0.2 + 0.2 * 19 / 21, abs=0.004)  # and of this 0.001
    assert {stream.data for stream in streams} == {bytes(range(20))}


async def test_the_same_seed_gives_the_same_jitter() -> None:
    assert delays(seed=1) == delays(seed=1) != delays(seed=2)


def delays(seed: int) -> list[float]:
    rng = random.Random(seed)
    return [Latency(latency=100, jitter=50).delay_s(rng) for _ in range(5)]


def test_more_jitter_than_latency_never_gives_a_negative_delay() -> None:
    rng = random.Random(0)
    drawn = [Latency(latency=10, jitter=1000).delay_s(rng) for _ in range(200)]
    assert min(drawn) == 0.0 < max(drawn) < 1.01


async def test_the_end_of_the_stream_waits_for_the_data_before_it() -> None:
    stream = Stream(Latency(latency=100))
    await stream.say(0.0, b"last")
    stream.link.end(End.EOF)
    await until(0.05)
    assert stream.ending is None
    await until(1.0)
    assert stream.came == [(pytest.approx(0.1), b"last")]
    assert stream.ending == (0.1, End.EOF)


async def test_removal_releases_what_is_held_at_once_and_in_order() -> None:
    stream = Stream(Latency(latency=60_000))
    await stream.say(0.0, b"a", b"b")
    await stream.say(0.3, b"c")
    stream.link.remove("t0")
    stream.link.feed(b"d")
    assert [data for _, data in stream.came] == [b"a", b"b", b"c", b"d"]
    assert set(stream.times) == {0.3}


async def test_an_update_holds_for_what_is_already_under_way() -> None:
    stream = Stream(Latency(latency=60_000))
    await stream.say(0.0, b"a")
    await until(1.0)
    stream.link.replace("t0", Latency(latency=1500))
    await stream.say(1.2, b"b")
    await until(5.0)
    assert stream.times == [1.5, 2.7]


@pytest.mark.parametrize("attributes", [{"latency": -1}, {"jitter": -1}, {"jitter": 2**62}])
def test_senseless_values_are_refused(attributes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected a whole number from 0"):
        Latency(**attributes)
