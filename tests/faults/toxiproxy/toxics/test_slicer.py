"""The slicer toxic on streams in memory."""

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faults.toxiproxy.chunk import End
from faults.toxiproxy.toxics.slicer import Slicer
from tests.faults.toxiproxy.streams import Stream, settle, until


async def test_a_chunk_is_cut_in_halves_until_no_slice_is_too_long() -> None:
    stream = Stream(Slicer(average_size=30))
    sent = bytes(range(100))
    await stream.say(0.0, sent)
    await settle()
    assert stream.data == sent
    assert [len(data) for _, data in stream.came] == [25, 25, 25, 25]


async def test_each_slice_is_followed_by_a_pause_in_microseconds() -> None:
    stream = Stream(Slicer(average_size=1, delay=10_000))
    await stream.say(1.0, b"abc", b"d")
    await until(5.0)
    assert stream.times == [1.0, 1.01, 1.02, 1.03]
    assert [data for _, data in stream.came] == [b"a", b"b", b"c", b"d"]


async def test_without_a_size_nothing_is_cut() -> None:
    stream = Stream(Slicer())
    await stream.say(0.0, b"x" * 10_000)
    stream.link.end(End.EOF)
    await settle()
    assert [len(data) for _, data in stream.came] == [10_000]
    assert stream.ending == (0.0, End.EOF)


async def test_removal_between_two_slices_releases_the_rest_at_once() -> None:
    stream = Stream(Slicer(average_size=1, delay=1_000_000))
    await stream.say(0.0, b"abcdef")
    await until(1.5)
    stream.link.remove("t0")
    assert stream.came == [(0.0, b"a"), (1.0, b"b"), (1.5, b"cdef")]


async def test_a_chunk_in_single_bytes_lets_others_have_their_turns() -> None:
    stream = Stream(Slicer(average_size=1))
    stream.link.feed(bytes(4_000))
    turns = 0
    while stream.link.written_bytes < 4_000:
        await asyncio.sleep(0)
        turns += 1
    assert turns >= 4_000 / 20


@settings(deadline=None)  # 70,000 slices take long on a busy machine
@given(
    length=st.integers(1, 70_000),
    average=st.integers(1, 5_000),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_slices_add_up_and_none_is_empty_or_too_long(
    length: int, average: int, share: float, seed: int
) -> None:
    slicer = Slicer(average_size=average, size_variation=int(average * share))
    sizes = list(slicer.sizes(length, random.Random(seed)))
    assert sum(sizes) == length
    assert min(sizes) >= 1
    assert max(sizes) <= average + slicer.size_variation


def test_sizes_vary_around_the_average_when_they_may() -> None:
    sizes = list(Slicer(average_size=100, size_variation=50).sizes(100_000, random.Random(1)))
    assert len(set(sizes)) > 20
    assert 60 <= sum(sizes) / len(sizes) <= 140


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"average_size": -1}, "average_size: expected a whole number from 0"),
        ({"delay": -1}, "delay: expected a whole number from 0"),
        (
            {"average_size": 10, "size_variation": 11},
            r"size_variation: expected at most average_size \(10\), got 11",
        ),
    ],
)
def test_senseless_values_are_refused(attributes: dict[str, int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Slicer(**attributes)
