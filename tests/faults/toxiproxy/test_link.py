"""Chains of toxics: order, pressure, and changes while data is under way."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

import pytest

from faults.toxiproxy.chunk import End
from faults.toxiproxy.stub import Stub
from faults.toxiproxy.toxics import TOXICS
from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.toxic import Toxic
from tests.faults.toxiproxy.streams import Stream, settle, until


async def test_without_toxics_data_passes_in_the_very_call() -> None:
    stream = Stream()
    stream.link.feed(b"a")
    assert stream.data == b"a"


async def test_the_toxic_that_does_nothing_changes_nothing() -> None:
    stream = Stream(Toxic(), Toxic())
    await stream.say(0.0, b"a", b"b")
    stream.link.end(End.EOF)
    await settle()
    assert [data for _, data in stream.came] == [b"a", b"b"]
    assert stream.ending == (0.0, End.EOF)


async def test_a_full_writer_stops_the_reader_and_a_ready_one_lets_it_go_on() -> None:
    stream = Stream()
    stream.link.pause()
    assert not stream.reading
    stream.link.resume()
    assert stream.reading


async def test_a_full_writer_stops_the_reader_through_a_chain_and_nothing_is_lost() -> None:
    stream = Stream(Toxic(), Toxic())
    stream.link.pause()
    fed = 0
    while stream.reading:
        stream.link.feed(bytes([fed]))
        fed += 1
        await settle()
    assert fed <= 3
    assert stream.came == []
    stream.link.resume()
    await settle()
    assert stream.reading
    assert stream.data == bytes(range(fed))


async def test_a_long_line_takes_in_much_but_not_everything() -> None:
    stream = Stream(Latency(latency=60_000))
    megabytes = 0
    while stream.reading and megabytes < 100:
        stream.link.feed(bytes(1024 * 1024))
        megabytes += 1
    assert megabytes == 32


async def test_toxics_work_in_the_order_in_which_they_stand() -> None:
    narrow_first = Stream(Bandwidth(rate=1), Latency(latency=1000))
    await narrow_first.say(0.0, b"x" * 200)
    await until(5.0)
    assert narrow_first.times == [1.0, 1.0]  # 0.2 s on the narrow line are within the latency


async def test_a_toxic_can_be_put_between_two_others_under_load() -> None:
    stream = Stream(Latency(latency=1000), Latency(latency=1000))
    await stream.say(0.0, b"before")
    stream.link.insert(1, "new", Latency(latency=500), None)
    assert stream.link.names() == ["t0", "new", "t1"]
    await until(5.0)
    assert stream.came == [(pytest.approx(2.5), b"before")]


async def test_removing_the_first_of_two_hands_its_data_to_the_second() -> None:
    stream = Stream(Latency(latency=60_000), Latency(latency=1000))
    await stream.say(1.0, b"a")
    stream.link.remove("t0")
    await until(10.0)
    assert stream.times == [2.0]


async def test_removal_does_not_wait_for_a_reader_that_has_stopped() -> None:
    stream = Stream(Toxic())
    stream.link.pause()
    stream.link.feed(b"a")
    stream.link.feed(b"b")
    await settle()
    stream.link.remove("t0")
    assert stream.data == b"ab"
    assert not stream.reading
    stream.link.resume()
    assert stream.reading


async def test_an_end_that_is_held_is_released_with_the_data() -> None:
    stream = Stream(Latency(latency=60_000))
    await stream.say(0.0, b"a")
    stream.link.end(End.EOF)
    await until(1.0)
    stream.link.remove("t0")
    assert stream.data == b"a"
    assert stream.ending == (1.0, End.EOF)


async def test_an_end_counts_once() -> None:
    stream = Stream(Toxic())
    stream.link.end(End.EOF)
    stream.link.end(End.CLOSE)
    await settle()
    assert stream.ending == (0.0, End.EOF)


async def test_nothing_is_read_on_after_the_end() -> None:
    stream = Stream(Toxic())
    stream.link.end(End.EOF)
    await settle()
    stream.reading = False
    stream.link.resume()
    assert not stream.reading  # the event loop would report the same end again and again


async def test_a_link_that_was_discarded_takes_and_gives_nothing() -> None:
    stream = Stream(Latency(latency=10))
    await stream.say(0.0, b"a")
    stream.link.discard()
    stream.link.feed(b"b")
    stream.link.insert(0, "late", Latency(latency=1), None)
    await until(1.0)
    assert stream.came == []
    assert stream.ending is None
    assert stream.link.names() == []


SLOW = {
    "latency": {"latency": 40},
    "bandwidth": {"rate": 1},
    "slicer": {"average_size": 3, "delay": 4_000},
    "limit_data": {"bytes": 1_000},
    "reset_peer": {"timeout": 60_000},
    "cut": {"after": 60_000},
}


@pytest.mark.parametrize("kind", sorted(kind for kind in TOXICS if not TOXICS[kind].closes_on_removal))
async def test_every_toxic_can_be_cut_off_at_any_moment_without_losing_order(kind: str) -> None:
    attributes = SLOW.get(kind, {})
    sent = bytes(range(200))
    for moment in range(30):
        stream = Stream(TOXICS[kind](**attributes))
        start_s = asyncio.get_running_loop().time()
        for n in range(20):
            await stream.say(start_s + n * 0.01, sent[n * 10 : n * 10 + 10])
            if n == moment // 2:
                stream.link.replace("t0", TOXICS[kind](**attributes))
                await until(start_s + n * 0.01 + 0.005 * (moment % 2))
                stream.link.remove("t0")
        assert stream.data == sent


async def test_a_defect_in_a_toxic_closes_the_connection_and_is_reported() -> None:
    reported: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    stream = Stream(Defect())
    await stream.say(0.0, b"a")
    await settle()
    assert stream.ending == (0.0, End.CLOSE)
    assert [str(context["exception"]) for context in reported] == ["a defect"]


@dataclass(frozen=True, slots=True)
class Defect(Toxic):
    kind: ClassVar[str] = "defect"

    async def pipe(self, stub: Stub) -> None:
        await stub.next()
        raise ArithmeticError("a defect")
