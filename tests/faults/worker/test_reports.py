"""What a worker says of itself under faults: metrics and load that stand still, health that is late."""

import asyncio

import pytest

from faults.worker.frozen_metrics import FrozenMetrics
from faults.worker.slow_health import SlowHealth
from harness.serving.load_report import LoadReport
from harness.serving.worker_metrics import PrometheusMeter
from tests.harness.serving.memory_stand import STEP_S, attempt, memory_stand


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_what_a_worker_says_stays_as_it_was_when_the_fault_began() -> None:
    async with memory_stand() as stand:
        load, meter = LoadReport(stand.worker), PrometheusMeter("test")
        exposition = stand.worker.reports.add(lambda now: meter.exposition(stand.worker, now))
        asked = asyncio.create_task(load.handle(attempt("held", tokens=100).call))
        await asyncio.sleep(2.5 * STEP_S)
        before = load.load(now()), stand.worker.shown.read(now())
        assert (before[0].in_flight, before[1].running) == (1, 1)
        async with FrozenMetrics().install(stand.site):
            said = *before, exposition.read(now())
            meter.stepped(0.1, 1, 1)
            assert (await asked).answered
            assert (load.load(now()), stand.worker.shown.read(now()), exposition.read(now())) == said
            assert stand.worker.reports.age_s(now()) == pytest.approx(97.5 * STEP_S)
        assert (load.load(now()).in_flight, stand.worker.shown.read(now()).running) == (0, 0)
        assert exposition.read(now()) != said[2]
        assert stand.worker.reports.age_s(now()) == 0


async def test_what_froze_once_is_not_said_again_by_the_next_freeze() -> None:
    async with memory_stand() as stand:
        load = LoadReport(stand.worker)
        async with FrozenMetrics().install(stand.site):
            assert load.load(now()).in_flight == 0
        asked = asyncio.create_task(stand.link.send(attempt(tokens=100)))
        await asyncio.sleep(1)
        async with FrozenMetrics().install(stand.site):
            assert load.load(now()).in_flight == 1
        assert (await asked).answered


async def test_health_is_late_by_as_much_as_asked_and_requests_are_not() -> None:
    async with memory_stand() as stand:
        async with SlowHealth(delay_s=4).install(stand.site):
            asked = asyncio.create_task(stand.admin.health())
            assert (await stand.link.send(attempt(tokens=8))).answered
            assert now() == pytest.approx(8 * STEP_S)
            assert await asked
            assert now() == pytest.approx(4)
        assert await stand.admin.health()
        assert now() == pytest.approx(4)


async def test_an_answer_about_health_is_held_no_longer_than_the_fault_is_there() -> None:
    async with memory_stand() as stand:
        async with SlowHealth(delay_s=1000).install(stand.site):
            asked = asyncio.create_task(stand.admin.health())
            await asyncio.sleep(10)
        assert await asked
        assert now() == pytest.approx(10)
