"""One direction of a connection in memory: what each toxic does to the pieces on it."""

import asyncio
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from faults.toxiproxy.toxics import TOXICS
from faults.toxiproxy.toxics.bandwidth import Bandwidth
from faults.toxiproxy.toxics.cut import Cut
from faults.toxiproxy.toxics.latency import Latency
from faults.toxiproxy.toxics.slicer import Slicer
from faults.toxiproxy.toxics.timeout import Timeout
from faults.toxiproxy.toxics.toxic import Toxic
from harness.serving.wire import Wire


class End:
    """Notes which pieces arrived when, and when the wire broke."""

    def __init__(self, *toxics: Toxic, seed: int = 0) -> None:
        self.arrived: list[tuple[int, float]] = []
        self.broken_s: list[float] = []
        self.wire = Wire(lambda _how: self.broken_s.append(now()))
        self._rng = random.Random(seed)
        for toxic in toxics:
            self.lay(toxic)

    def lay(self, toxic: Toxic) -> None:
        """One more toxic, behind those that are there."""
        place = len(self.wire.link.names())
        self.wire.link.insert(place, f"{place}", toxic, self._rng)

    def send(self, number: int, size: int = 170) -> None:
        self.wire.send(size, lambda: self.arrived.append((number, now())))

    async def send_all(self, times_s: Sequence[float]) -> list[float]:
        """A piece at each of the times; when they arrived, a minute later."""
        for number, at_s in enumerate(times_s):
            await asyncio.sleep(at_s - now())
            self.send(number)
        await asyncio.sleep(60)
        assert [number for number, _ in self.arrived] == sorted(number for number, _ in self.arrived)
        return [at_s for _, at_s in self.arrived]


def now() -> float:
    return asyncio.get_running_loop().time()


TIMES_S = (0.0, 0.03, 0.06, 0.5, 0.5, 2.0)


async def test_a_wire_without_toxics_has_a_piece_there_before_send_returns() -> None:
    end = End()
    end.send(1)
    assert end.arrived == [(1, 0.0)]


async def test_latency_moves_every_piece_and_leaves_the_gaps() -> None:
    assert await End(Latency(latency=700)).send_all(TIMES_S) == pytest.approx([t + 0.7 for t in TIMES_S])


async def test_two_latencies_add() -> None:
    end = End(Latency(latency=200), Latency(latency=300))
    assert await end.send_all(TIMES_S) == pytest.approx([t + 0.5 for t in TIMES_S])


async def test_a_narrow_line_takes_its_time_for_each_byte_and_a_piece_is_there_with_its_last() -> None:
    end = End(Bandwidth(rate=1))  # KB/s
    for number in range(3):
        end.send(number, 400)
    await asyncio.sleep(60)
    assert [at_s for _, at_s in end.arrived] == pytest.approx([0.4, 0.8, 1.2])


@pytest.mark.parametrize("toxic", [Bandwidth(rate=0), Timeout(timeout=0)], ids=repr)
async def test_what_holds_all_back_holds_it_for_ever(toxic: Toxic) -> None:
    end = End(toxic)
    assert await end.send_all(TIMES_S) == []
    assert end.broken_s == []
    end.wire.close()
    await asyncio.sleep(0)


async def test_a_black_hole_closes_the_connection_after_its_silence() -> None:
    end = End(Timeout(timeout=400))
    end.send(1)
    await asyncio.sleep(0.3)
    end.send(2)  # starts the silence afresh
    await asyncio.sleep(60)
    assert (end.arrived, end.broken_s) == ([], [pytest.approx(0.7)])


async def test_a_toxic_that_does_nothing_delays_nothing() -> None:
    assert await End(Toxic()).send_all(TIMES_S) == list(TIMES_S)


async def test_chance_comes_from_the_seed_and_never_changes_the_order() -> None:
    times_s = [0.01 * n for n in range(200)]
    runs = [await End(Latency(latency=300, jitter=250), seed=s).send_all(shifted(times_s)) for s in (5, 5, 6)]
    first, again, other = ([at_s - run[0] for at_s in run] for run in runs)
    assert first == pytest.approx(again)
    assert first != pytest.approx(other)
    assert all(sooner <= later for sooner, later in pairwise(runs[0]))


def shifted(times_s: Sequence[float]) -> list[float]:
    start_s = now()
    return [start_s + at_s for at_s in times_s]


async def test_a_toxic_laid_later_takes_what_is_still_under_way() -> None:
    end = End(Latency(latency=500))
    end.send(1)
    await asyncio.sleep(0.2)
    end.lay(Latency(latency=300))
    end.send(2)
    await asyncio.sleep(60)
    assert end.arrived == [(1, pytest.approx(0.8)), (2, pytest.approx(1.0))]


@pytest.mark.parametrize("toxic", [toxic() for toxic in TOXICS.values() if toxic is not Cut], ids=repr)
async def test_a_closed_wire_delivers_nothing_and_leaves_no_task(toxic: Toxic) -> None:
    before = asyncio.all_tasks()
    end = End(Latency(latency=100), toxic)
    end.send(1)
    await asyncio.sleep(0.05)
    end.wire.close()
    end.send(2)
    await asyncio.sleep(60)
    assert (end.arrived, end.broken_s) == ([], [])
    assert asyncio.all_tasks() == before


async def test_what_a_toxic_does_not_take_gathers_and_is_then_one_chunk() -> None:
    end = End(Slicer(average_size=10_000, delay=500_000))
    for number in range(4):
        end.send(number)
    await asyncio.sleep(60)
    assert [at_s for _, at_s in end.arrived] == [0.0, 0.5, 0.5, 0.5]


async def test_the_end_comes_behind_all_that_was_sent() -> None:
    end = End(Slicer(average_size=10_000, delay=500_000))
    for number in range(3):
        end.send(number)
    end.wire.end()
    await asyncio.sleep(60)
    assert ([at_s for _, at_s in end.arrived], end.broken_s) == ([0.0, 0.5, 0.5], [1.0])
