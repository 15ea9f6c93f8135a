"""Leaked slots and a shrunk batch: how many run, who goes on, what the worker says of it."""

import asyncio

import pytest

from faults.fault import WorkerFault
from faults.worker.leaked_slots import LeakedSlots
from faults.worker.shrunk_batch import ShrunkBatch
from harness.serving.load_report import LoadReport
from tests.harness.serving.memory_stand import STEP_S, attempt, memory_stand

SEATS = 4


@pytest.mark.parametrize("fault", [LeakedSlots(slots=3), ShrunkBatch(max_num_seqs=1)])
async def test_who_runs_already_ends_normally_and_then_fewer_run(fault: WorkerFault) -> None:
    async with memory_stand(seats=SEATS) as stand:
        asked = [asyncio.create_task(stand.link.send(attempt(f"r{n}", tokens=8))) for n in range(6)]
        await asyncio.sleep(STEP_S / 2)
        async with fault.install(stand.site):
            await asyncio.sleep(STEP_S)
            assert len(stand.worker.batcher.running) == SEATS
            await asyncio.sleep(8 * STEP_S)
            assert [task.done() for task in asked] == [True] * 4 + [False] * 2
            assert (len(stand.worker.batcher.running), len(stand.worker.batcher.waiting)) == (1, 1)
        assert all([(await task).answered for task in asked])


async def test_a_larger_batch_than_there_was_is_no_fault() -> None:
    assert ShrunkBatch(max_num_seqs=9).usable_slots(SEATS) == SEATS


async def test_more_leaked_slots_than_there_are_leave_none_and_healing_brings_them_back() -> None:
    async with memory_stand(seats=SEATS) as stand:
        async with LeakedSlots(slots=9).install(stand.site):
            asked = asyncio.create_task(stand.link.send(attempt()))
            await asyncio.sleep(20)
            assert (stand.worker.counts.steps, len(stand.worker.batcher.waiting)) == (0, 1)
        assert (await asked).answered


async def test_fewer_slots_make_no_more_room_in_the_queue_and_no_less() -> None:
    async with (
        memory_stand(seats=SEATS, max_queue=2) as stand,
        ShrunkBatch(max_num_seqs=1).install(stand.site),
    ):
        await stand.worker.door.health()
        asked = [asyncio.create_task(stand.link.send(attempt(f"r{n}", tokens=2))) for n in range(8)]
        outcomes = [await task for task in asked]
        assert sum(outcome.answered for outcome in outcomes) == 2 + 1


@pytest.mark.parametrize(("fault", "shown"), [(LeakedSlots(slots=3), 3), (ShrunkBatch(max_num_seqs=1), 0)])
async def test_leaked_slots_look_as_if_somebody_ran_in_them(fault: WorkerFault, shown: int) -> None:
    async with memory_stand(seats=SEATS) as stand:
        load = LoadReport(stand.worker)
        async with fault.install(stand.site):
            assert (await stand.link.send(attempt())).answered
            assert stand.worker.shown.read(0.0).running == shown
            assert load.in_flight == shown
            assert (await stand.admin.state()).running == 0


def test_half_of_a_leak_is_a_whole_number_of_slots() -> None:
    assert LeakedSlots(slots=5).at(0.5) == LeakedSlots(slots=2)
    assert LeakedSlots(slots=5).at(0) == LeakedSlots(slots=0)


def test_slots_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="slots must be 0 or more"):
        LeakedSlots(slots=-1)
    with pytest.raises(ValueError, match="max_num_seqs must be 1 or more"):
        ShrunkBatch(max_num_seqs=0)
