"""What the toxics of one server hold together, on streams in memory."""

from faults.toxiproxy.budget import ALWAYS_BYTES, Budget
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.limit_data import LimitData
from tests.faults.toxiproxy.streams import Stream, settle, until

PIECE = bytes(64 * 1024)


async def stalled(budget: Budget, pieces: int) -> Stream:
    """One that holds up to so many pieces behind a latency, as long as it is read from."""
    stream = Stream(Latency(latency=1000), budget=budget)
    await stream.begin()
    for _ in range(pieces):
        if stream.reading:
            stream.link.feed(PIECE)
    return stream


async def test_past_the_budget_every_stream_holds_little_and_none_nothing() -> None:
    budget = Budget(limit_bytes=20 * len(PIECE))
    streams = [await stalled(budget, 15) for _ in range(5)]
    assert [stream.reading for stream in streams] == [True, False, False, False, False]
    for late in streams[2:]:
        assert ALWAYS_BYTES <= late.link.read_bytes <= ALWAYS_BYTES + len(PIECE)
    assert budget.held_bytes <= budget.limit_bytes + 4 * (ALWAYS_BYTES + len(PIECE))


async def test_all_goes_on_when_there_is_room_again() -> None:
    budget = Budget(limit_bytes=1)
    streams = [await stalled(budget, 15) for _ in range(3)]
    assert not any(stream.reading for stream in streams)
    await until(1.5)
    assert all(stream.reading for stream in streams)
    assert all(len(stream.data) == stream.link.read_bytes for stream in streams)


async def test_nothing_is_held_any_more_after_arrival_removal_or_the_end() -> None:
    budget = Budget()
    streams = [await stalled(budget, 3) for _ in range(3)]
    assert budget.held_bytes > 9 * len(PIECE)
    arriving, removed, ended = streams
    removed.link.remove("t0")
    ended.link.discard()
    await until(2.0)
    assert len(arriving.data) == 3 * len(PIECE)
    assert budget.held_bytes == 0


async def test_nothing_is_held_for_a_toxic_that_has_ended_the_connection() -> None:
    budget = Budget()
    stream = Stream(LimitData(bytes=100), budget=budget)
    await stream.say(0.0, *[PIECE] * 3)
    assert budget.held_bytes > 3 * len(PIECE)
    await settle()
    assert stream.ending is not None
    assert budget.held_bytes == 0
