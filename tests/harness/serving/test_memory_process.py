"""What faults of the process do to a worker in memory."""

import asyncio

import pytest

from faults.process.cpu_hog import CpuHog
from faults.process.gpu_limit import GpuPowerLimit
from faults.process.memory_pressure import MemoryPressure
from faults.process.restarted import Restarted
from faults.process.stopped import Stopped
from faults.site import Neighbour
from harness.errors import EnvironmentFault
from tests.harness.serving.memory_stand import STEP_S, MemoryStand, attempt, memory_stand

TOKENS = 8


async def answer_s(stand: MemoryStand) -> float:
    started_s = now()
    assert (await stand.link.send(attempt(tokens=TOKENS))).answered
    return now() - started_s


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_stopped_worker_takes_requests_and_answers_none_until_it_runs_again() -> None:
    async with memory_stand() as stand:
        under_way = asyncio.create_task(stand.link.send(attempt("r1", tokens=TOKENS)))
        await asyncio.sleep(2.5 * STEP_S)
        async with Stopped().install(stand.site):
            late = asyncio.create_task(stand.link.send(attempt("r2", tokens=TOKENS)))
            await asyncio.sleep(9)
            assert not under_way.done()
            assert not late.done()
            assert stand.worker.counts.steps == 2
            assert await stand.admin.state() is None
        assert (await under_way).answered
        assert (await late).answered


async def test_whoever_asks_a_stopped_worker_gives_up_after_a_while() -> None:
    async with memory_stand() as stand:
        await stand.site.stop(1.0, 1.0, 60)
        began_s = now()
        assert await stand.admin.state() is None
        assert now() - began_s == 2.0


async def test_a_duty_cycle_lengthens_answers_as_the_running_time_shrinks() -> None:
    async with memory_stand() as stand:
        healthy_s = sum([await answer_s(stand) for _ in range(20)])
        async with Stopped(stopped_ratio=0.5, period_s=40 * STEP_S).install(stand.site):
            stopped_s = sum([await answer_s(stand) for _ in range(20)])
        assert stopped_s / healthy_s == pytest.approx(2, rel=0.1)
        assert await answer_s(stand) == pytest.approx(healthy_s / 20)


async def test_a_lease_that_nobody_renews_ends_both_stop_and_neighbour() -> None:
    async with memory_stand() as stand:
        healthy_s = await answer_s(stand)
        await stand.site.stop(1.0, 1.0, 2.0)
        assert await answer_s(stand) == pytest.approx(2.0 + healthy_s)
        await stand.site.crowd(Neighbour("cpu", 3), 2.0)
        assert await answer_s(stand) == pytest.approx(4 * healthy_s)
        await asyncio.sleep(2)
        assert await answer_s(stand) == pytest.approx(healthy_s)
        assert await stand.site.seen() == {}


async def test_hogs_take_a_fair_share_of_what_is_computed() -> None:
    async with memory_stand() as stand:
        healthy_s = await answer_s(stand)
        async with CpuHog(hogs=2).install(stand.site):
            assert await answer_s(stand) == pytest.approx(3 * healthy_s)
        assert await answer_s(stand) == pytest.approx(healthy_s)


async def test_hogs_that_come_in_the_middle_slow_down_the_steps_from_then_on() -> None:
    """Also those that were foreseen."""
    async with memory_stand() as stand:
        began_s = now()
        answer = asyncio.create_task(stand.link.send(attempt(tokens=TOKENS)))
        await asyncio.sleep(2.5 * STEP_S)
        await stand.site.crowd(Neighbour("cpu", 1), 60)
        await answer
        assert now() - began_s == pytest.approx((3 + 2 * (TOKENS - 3)) * STEP_S)


async def test_a_neighbour_in_memory_is_seen_and_slows_nobody() -> None:
    async with memory_stand() as stand:
        healthy_s = await answer_s(stand)
        async with MemoryPressure(megabytes=300).install(stand.site):
            assert (await stand.site.seen())["neighbour_megabytes"] == 300
            assert await answer_s(stand) == pytest.approx(healthy_s)


async def test_a_restarted_worker_has_nothing_of_the_old_one() -> None:
    async with memory_stand() as stand:
        old = stand.link.worker
        tasks = [asyncio.create_task(stand.link.send(attempt(f"r{n}"))) for n in range(6)]
        await asyncio.sleep(2.5 * STEP_S)
        async with Restarted(down_s=1.0).install(stand.site):
            assert not any([(await task).answered for task in tasks])
            assert not (await stand.link.send(attempt())).answered
            await asyncio.sleep(2)
            state = await stand.admin.state()
            assert state is not None
            assert (state.steps, state.running, state.waiting) == (0, 0, 0)
            assert state.details["age_seconds"] == pytest.approx(1.0)
            assert await answer_s(stand) > 0
        assert stand.link.worker is not old
        assert await stand.at_rest()


async def test_what_is_gone_is_neither_stopped_nor_crowded() -> None:
    async with memory_stand() as stand:
        await stand.site.kill()
        with pytest.raises(ConnectionError, match="worker-0 cannot be stopped: it is gone"):
            await stand.site.stop(1.0, 1.0, 3.0)
        with pytest.raises(ConnectionError, match="worker-0 has no neighbours: it is gone"):
            await stand.site.crowd(Neighbour("cpu", 1), 3.0)


async def test_a_limit_of_a_card_that_is_not_there_is_refused_in_one_line() -> None:
    async with memory_stand() as stand:
        with pytest.raises(EnvironmentFault, match="a power limit needs a GPU, and worker-0 is simulated"):
            async with GpuPowerLimit().install(stand.site):
                raise AssertionError("the block ran")
