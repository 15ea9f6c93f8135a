"""What faults do to a worker in memory, beside what the contract of links asks of every fault."""

import asyncio

import pytest

from faults.engine.slow_steps import SlowSteps
from faults.fault import LEASE_S
from faults.link.link_latency import LinkLatency
from faults.registry import FAULTS
from harness.serving.probe import Ended
from policies.outcome import Kind
from tests.faults.cases import NOT_VIRTUAL
from tests.harness.serving.memory_stand import STEP_S, MemoryStand, attempt, latency, memory_stand

TOKENS = 8


async def answer_s(stand: MemoryStand) -> float:
    started_s = asyncio.get_running_loop().time()
    assert (await stand.link.send(attempt(tokens=TOKENS))).answered
    return asyncio.get_running_loop().time() - started_s


async def is_gone(stand: MemoryStand) -> None:
    started_s = asyncio.get_running_loop().time()
    outcome = await stand.link.send(attempt())
    assert (outcome.kind, outcome.phase, outcome.by) == (Kind.ERROR, "stream", "worker-0")
    assert asyncio.get_running_loop().time() == started_s
    assert await stand.admin.state() is None
    assert (await stand.link.probe()).ended is Ended.REFUSED


@pytest.mark.parametrize("kind", sorted(FAULTS.keys() - NOT_VIRTUAL))
async def test_every_fault_may_come_and_go_while_requests_are_under_way(kind: str) -> None:
    fault = FAULTS[kind]()
    async with memory_stand() as stand:
        tasks = [asyncio.create_task(stand.link.send(attempt(f"r{n}", tokens=40))) for n in range(12)]
        await asyncio.sleep(0.1)
        async with fault.install(stand.site):
            await asyncio.sleep(1)
        kinds = [(await task).kind for task in tasks]
        assert set(kinds) <= {Kind.OK, Kind.ERROR}
        assert stand.link.busy() == []
        assert fault.heals is await stand.at_rest()


async def test_a_fault_in_a_worker_ends_with_its_lease_when_nobody_renews_it() -> None:
    async with memory_stand() as stand:
        await stand.site.inject(SlowSteps(factor=1000), LEASE_S)
        assert await answer_s(stand) == pytest.approx(LEASE_S + (TOKENS - 1) * STEP_S)


async def test_a_killed_worker_ends_whoever_is_seated_waits_or_is_under_way_at_once() -> None:
    async with memory_stand(seats=2, max_queue=8) as stand:
        stand.link.set_toxics([latency(500)])
        tasks = [asyncio.create_task(stand.link.send(attempt(f"r{n}", tokens=4))) for n in range(5)]
        await asyncio.sleep(0.2)  # two are answered but under way, two are seated, one waits
        assert [len(stand.worker.batcher.running), len(stand.worker.batcher.waiting)] == [2, 1]
        await stand.site.kill()
        outcomes = await asyncio.gather(*tasks)
        assert {(o.kind, o.phase) for o in outcomes} == {(Kind.ERROR, "stream")}
        assert asyncio.get_running_loop().time() == pytest.approx(0.2)
        assert stand.link.busy() == []
        assert stand.new_tasks() == set()


async def test_a_killed_worker_can_be_killed_healed_and_freed_of_toxics_again() -> None:
    async with memory_stand() as stand:
        await stand.site.kill()
        await stand.site.kill()
        await stand.site.heal()
        await stand.site.set_toxics(LinkLatency(latency_s=1).toxics(), LEASE_S)
        await stand.site.remove_toxics()
        await is_gone(stand)


async def test_a_killed_worker_takes_no_fault() -> None:
    async with memory_stand() as stand:
        await stand.site.kill()
        with pytest.raises(ConnectionError, match="worker-0 did not take the fault: it is gone"):
            async with SlowSteps(factor=2).install(stand.site):
                pass


async def test_a_worker_that_dies_under_its_fault_leaves_the_fault_without_a_complaint() -> None:
    async with memory_stand() as stand, SlowSteps(factor=2).install(stand.site):
        await stand.site.kill()
        await asyncio.sleep(2 * LEASE_S)
        await is_gone(stand)


async def test_the_state_tells_what_has_been_done_up_to_now() -> None:
    async with memory_stand(seats=2) as stand:
        tasks = [asyncio.create_task(stand.link.send(attempt(f"r{n}", tokens=10))) for n in range(3)]
        await asyncio.sleep(4.5 * STEP_S)
        state = await stand.admin.state()
        assert state is not None
        assert (state.name, state.running, state.waiting) == ("worker-0", 2, 1)
        assert (state.steps, state.tokens, state.aborted, state.fault) == (4, 8, 0, "none")
        assert state.step_seconds == pytest.approx(4 * STEP_S)
        await asyncio.gather(*tasks)


@pytest.mark.parametrize("strides", [True, False])
async def test_a_killed_worker_makes_no_further_token(*, strides: bool) -> None:
    """Not even of those that were foreseen."""
    async with memory_stand(strides=strides) as stand:
        asked = [attempt(f"r{n}", tokens=50) for n in range(2)]
        tasks = [asyncio.create_task(stand.link.send(each)) for each in asked]
        await asyncio.sleep(4.5 * STEP_S)
        await stand.site.kill()
        await asyncio.gather(*tasks)
        await asyncio.sleep(1)
        stand.worker.take_single_steps()
        stand.worker.catch_up()
        assert [each.tokens for each in asked] == [4, 4]
        assert (stand.worker.counts.steps, stand.worker.counts.tokens) == (4, 8)
