import asyncio
from itertools import islice

import pytest

from faults.process.killed import Killed
from faults.process.restarted import Restarted
from faults.shape import Flapping, Ramp
from tests.faults.fakes import FakeSite


class Timed(FakeSite):
    """Remembers when it was killed and started again."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[tuple[float, str]] = []

    async def kill(self) -> None:
        await self.change("kill")

    async def restart(self) -> None:
        await self.change("restart")

    async def change(self, what: str) -> None:
        if not self.times or self.times[-1][1] != what:
            self.times.append((round(asyncio.get_running_loop().time(), 6), what))


async def test_a_crashed_worker_is_started_again_after_the_time_that_was_asked() -> None:
    site = Timed()
    async with Restarted(down_s=2.5).install(site):
        await asyncio.sleep(10)
    assert site.times == [(0.0, "kill"), (2.5, "restart")]


async def test_a_worker_that_is_still_down_is_started_when_the_fault_is_taken_away() -> None:
    site = Timed()
    async with Restarted(down_s=30).install(site):
        await asyncio.sleep(4)
    assert site.times == [(0.0, "kill"), (4.0, "restart")]


def test_each_rise_of_a_shape_is_a_crash_and_one_that_comes_too_soon_keeps_it_down() -> None:
    slow = Restarted(down_s=1, shape=Flapping(on_s=3, off_s=3))
    assert list(islice(slow.changes(), 4)) == [(0, 1), (1, 0), (6, 1), (7, 0)]
    quick = Restarted(down_s=9, shape=Flapping(on_s=1, off_s=1))
    assert list(islice(quick.changes(), 3)) == [(0, 1), (2, 1), (4, 1)]


async def test_a_ramp_crashes_once_when_it_is_half_way_up_and_not_before() -> None:
    site = Timed()
    async with Restarted(down_s=1, shape=Ramp(rise_s=4)).install(site):
        await asyncio.sleep(10)
    assert site.times == [(0.0, "restart"), (2.0, "kill"), (3.0, "restart")]


async def test_killed_under_a_shape_that_falls_is_a_crash_loop() -> None:
    site = Timed()
    async with Killed(shape=Flapping(on_s=1, off_s=2)).install(site):
        await asyncio.sleep(5)
    assert site.times == [(0.0, "kill"), (1.0, "restart"), (3.0, "kill"), (4.0, "restart")]


def test_no_time_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="restarted: down_s must be above 0"):
        Restarted(down_s=0)
