"""A step loop that hangs, seen from the worker in memory."""

import asyncio

import pytest

from faults.engine.freeze import Freeze
from faults.engine.freeze_after_first_token import FreezeAfterFirstToken
from faults.fault import LEASE_S
from policies.outcome import Kind
from tests.harness.serving.memory_stand import STEP_S, MemoryStand, attempt, memory_stand

TOKENS = 8


def ask(stand: MemoryStand, name: str, **fields: object) -> "asyncio.Task[object]":
    return asyncio.create_task(stand.link.send(attempt(name, tokens=TOKENS, **fields)))


async def test_nothing_comes_while_it_is_there_and_what_was_held_goes_on_after_it() -> None:
    async with memory_stand() as stand:
        asked = ask(stand, "r1")
        await asyncio.sleep(2.5 * STEP_S)
        async with Freeze().install(stand.site):
            await asyncio.sleep(20)
            assert stand.worker.counts.tokens == 2
            assert await stand.admin.health()
        healed_s = asyncio.get_running_loop().time()
        assert (await asked).answered
        # the step that was held ends at once: it has waited long enough
        left_s = asyncio.get_running_loop().time() - healed_s
        assert left_s == pytest.approx((TOKENS - 3) * STEP_S, abs=STEP_S / 2)


async def test_who_leaves_a_frozen_worker_keeps_its_slot_until_it_moves_again() -> None:
    async with memory_stand(seats=1) as stand:
        async with Freeze().install(stand.site):
            asked = ask(stand, "r1")
            await asyncio.sleep(1)
            asked.cancel()
            await asyncio.sleep(1)
            assert len(stand.worker.batcher.running) == 1
        assert await stand.at_rest()


async def test_a_freeze_that_nobody_renews_ends_with_its_lease() -> None:
    async with memory_stand() as stand:
        await stand.site.inject(Freeze(), LEASE_S)
        assert (await ask(stand, "r1")).answered
        assert asyncio.get_running_loop().time() == pytest.approx(LEASE_S + (TOKENS - 1) * STEP_S)


async def test_after_its_first_token_an_answer_stands_still_until_the_batch_is_full_of_them() -> None:
    async with memory_stand(seats=3) as stand:
        async with FreezeAfterFirstToken().install(stand.site):
            asked = [ask(stand, f"r{n}") for n in range(5)]
            await asyncio.sleep(20)
            counts, batcher = stand.worker.counts, stand.worker.batcher
            assert (counts.first_tokens, counts.tokens) == (3, 3)
            assert (len(batcher.running), len(batcher.waiting)) == (3, 2)
        assert all([(await each).answered for each in asked])
        assert stand.worker.counts.tokens == 5 * TOKENS


async def test_a_frozen_answer_whose_caller_leaves_or_whose_time_is_up_gives_its_slot_to_the_next() -> None:
    async with memory_stand(seats=1) as stand:
        async with FreezeAfterFirstToken().install(stand.site):
            first = ask(stand, "r1")
            second = ask(stand, "r2", deadline_s=5.3)
            await asyncio.sleep(1)
            first.cancel()
            third = ask(stand, "r3")
            await asyncio.sleep(1)
            assert stand.worker.counts.first_tokens == 2
            assert (await second).kind is Kind.TIMEOUT
            assert asyncio.get_running_loop().time() == 5.3
            await asyncio.sleep(2 * STEP_S)
            assert stand.worker.counts.first_tokens == 3
        assert (await third).answered
        assert await stand.at_rest()


async def test_frozen_answers_go_on_when_nobody_renews_the_lease() -> None:
    async with memory_stand() as stand:
        await stand.site.inject(FreezeAfterFirstToken(), LEASE_S)
        assert (await ask(stand, "r1")).answered
        assert asyncio.get_running_loop().time() == pytest.approx(LEASE_S + (TOKENS - 1) * STEP_S)
