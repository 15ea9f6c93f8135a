"""What a worker does for callers who have left: nothing, or all of it."""

import asyncio

import pytest

from faults.worker.ignored_cancellation import IgnoredCancellation
from tests.harness.serving.memory_stand import STEP_S, MemoryStand, attempt, memory_stand

TOKENS = 20
LEFT_S = 4.5 * STEP_S


async def leave(stand: MemoryStand, name: str = "r1") -> None:
    """Ask, and go in the middle of the fifth step."""
    asked = asyncio.create_task(stand.link.send(attempt(name, tokens=TOKENS)))
    await asyncio.sleep(LEFT_S)
    asked.cancel()
    await asyncio.wait([asked])


# report 27: Camelid#675
async def test_whoever_leaves_a_healthy_worker_has_given_its_slot_back_within_one_step() -> None:
    async with memory_stand() as stand:
        await leave(stand)
        assert len(stand.worker.batcher.running) == 1  # the step that is under way uses it
        await asyncio.sleep(STEP_S)
        counts = stand.worker.counts
        assert (len(stand.worker.batcher.running), counts.aborted) == (0, 1)
        assert (counts.steps, counts.kept, counts.kept_seconds) == (5, 0, 0.0)


async def test_a_worker_that_ignores_it_computes_to_the_end_for_nobody() -> None:
    async with memory_stand() as stand, IgnoredCancellation().install(stand.site):
        await leave(stand)
        await asyncio.sleep((TOKENS - 5) * STEP_S)
        assert len(stand.worker.batcher.running) == 1
        await asyncio.sleep(STEP_S)
        counts = stand.worker.counts
        assert (len(stand.worker.batcher.running), counts.tokens) == (0, TOKENS)
        assert (counts.aborted, counts.kept) == (1, 1)
        assert counts.kept_seconds == pytest.approx((TOKENS - 5) * STEP_S)


async def test_it_does_so_too_for_those_who_left_the_queue() -> None:
    async with memory_stand(seats=1) as stand, IgnoredCancellation().install(stand.site):
        first = asyncio.create_task(stand.link.send(attempt("r0", tokens=TOKENS)))
        await asyncio.sleep(0)
        await leave(stand)
        assert stand.worker.seats.left_waiting == 1
        assert (await first).answered
        await asyncio.sleep((TOKENS + 1) * STEP_S)
        assert (stand.worker.counts.tokens, stand.worker.counts.kept) == (2 * TOKENS, 1)
        assert stand.worker.seats.left_waiting == 0


# report 20: envoy#13069
async def test_a_long_answer_for_nobody_ends_with_the_fault_and_its_slot_is_free() -> None:
    async with memory_stand(seats=1) as stand:
        async with IgnoredCancellation().install(stand.site):
            await leave(stand)
            await asyncio.sleep(3 * STEP_S)
            assert len(stand.worker.batcher.running) == 1
        await asyncio.sleep(STEP_S)
        assert len(stand.worker.batcher.running) == 0
        assert stand.worker.counts.tokens < TOKENS
        assert (await stand.link.send(attempt())).answered


async def test_not_even_its_deadline_ends_an_answer_for_nobody() -> None:
    async with memory_stand() as stand, IgnoredCancellation().install(stand.site):
        asked = asyncio.create_task(stand.link.send(attempt("r1", tokens=TOKENS, deadline_s=8.2 * STEP_S)))
        await asyncio.sleep(LEFT_S)
        asked.cancel()
        await asyncio.wait([asked])
        await asyncio.sleep(TOKENS * STEP_S)
        assert stand.worker.counts.tokens == TOKENS


async def test_who_leaves_in_its_last_step_has_nothing_left_to_be_kept_for() -> None:
    async with memory_stand() as stand:
        for tokens in (5, 6):  # it goes in the middle of the fifth step
            asked = asyncio.create_task(stand.link.send(attempt(f"r{tokens}", tokens=tokens)))
            await asyncio.sleep(LEFT_S)
            asked.cancel()
            await asyncio.wait([asked])
            await asyncio.sleep(STEP_S)
        assert (stand.worker.counts.aborted, stand.worker.counts.left_early) == (2, 1)


async def test_who_has_left_is_told_of_no_further_token() -> None:
    async with memory_stand() as stand, IgnoredCancellation().install(stand.site):
        mine = attempt("r1", tokens=TOKENS)
        asked = asyncio.create_task(stand.link.send(mine))
        await asyncio.sleep(LEFT_S)
        asked.cancel()
        await asyncio.sleep(TOKENS * STEP_S)
        assert stand.worker.counts.tokens == TOKENS
        assert mine.tokens == 4


async def test_a_worker_that_nobody_tells_does_so_without_any_fault() -> None:
    async with memory_stand(told=False) as stand:
        await leave(stand)
        await asyncio.sleep((TOKENS - 4) * STEP_S)
        assert (stand.worker.counts.tokens, stand.worker.counts.kept) == (TOKENS, 1)
