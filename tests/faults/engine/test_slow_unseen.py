"""A worker that is slow and goes on saying what it said before."""

import asyncio

import pytest

from faults.engine.slow_unseen import SlowUnseen
from faults.shape import Ramp
from harness.serving.load_report import LoadReport
from tests.harness.serving.memory_stand import STEP_S, attempt, memory_stand


@pytest.mark.parametrize("factor", [0.99, 0, -1, float("nan"), float("inf")])
def test_a_factor_that_slows_nothing_or_for_ever_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="slow_unseen: factor must be 1 or more"):
        SlowUnseen(factor=factor)


def test_it_is_there_whole_or_not_at_all() -> None:
    fault = SlowUnseen(factor=9, shape=Ramp(rise_s=4))
    assert fault.at(0.4) is None
    assert fault.at(0.6) == fault


async def test_its_answers_take_so_many_times_as_long_and_its_load_stands_still() -> None:
    async with memory_stand() as stand:
        load, loop = LoadReport(stand.worker), asyncio.get_running_loop()
        before = load.load(loop.time())
        async with SlowUnseen(factor=5).install(stand.site):
            asked = [asyncio.create_task(load.handle(attempt(str(n), tokens=10).call)) for n in range(3)]
            await asyncio.sleep(20 * STEP_S)
            assert load.in_flight == 3
            assert load.load(loop.time()) == before
            await asyncio.gather(*asked)
            assert loop.time() == pytest.approx(50 * STEP_S)
        assert load.load(loop.time()) != before
