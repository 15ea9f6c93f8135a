"""Cut off, timed out, or given up: the endings of an attempt on the in-memory link leave nothing behind."""

import asyncio

import pytest

from faults.site import Toxic
from policies.outcome import Kind, Outcome
from tests.harness.serving.memory_stand import MemoryStand, attempt, latency, memory_stand


def send(stand: MemoryStand, *args: object, **fields: object) -> "asyncio.Task[Outcome]":
    return asyncio.create_task(stand.link.send(attempt(*args, **fields)))


@pytest.mark.parametrize("toxics", [(), (latency(400),), (latency(400, "to_worker"), latency(100))])
@pytest.mark.parametrize("after_s", [0.0, 0.001, 0.05, 0.2, 0.3, 0.45, 0.6])
async def test_a_caller_that_leaves_at_any_time_leaves_nothing_behind(
    toxics: tuple[Toxic, ...], after_s: float
) -> None:
    async with memory_stand(link_s=0.004) as stand:
        if toxics:
            stand.link.set_toxics(toxics)
        task = send(stand, tokens=30)
        await asyncio.sleep(after_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await stand.at_rest()


@pytest.mark.parametrize("cut_first", [True, False])
@pytest.mark.parametrize("after_s", [0.0, 0.05, 1.1])
async def test_whoever_leaves_in_the_tick_of_a_cut_has_left(*, cut_first: bool, after_s: float) -> None:
    """The cancellation from outside must not be taken for ours, or a time-out would never be seen."""
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(5000), latency(1000, "to_worker")])
        task = send(stand)
        await asyncio.sleep(after_s)
        for act in [stand.link.cut, task.cancel] if cut_first else [task.cancel, stand.link.cut]:
            act()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await stand.at_rest()


async def test_a_time_out_in_the_tick_of_a_cut_is_a_time_out() -> None:
    async with memory_stand() as stand:
        stand.link.set_toxics([latency(5000)])
        asyncio.get_running_loop().call_at(1.0, stand.link.cut)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout_at(1.0):
                await stand.link.send(attempt())
        assert await stand.at_rest()


async def test_a_task_that_was_cut_off_can_go_on_and_be_cancelled_later() -> None:
    async with memory_stand() as stand:

        async def twice() -> list[Outcome]:
            return [await stand.link.send(attempt(tokens=20)) for _ in range(2)]

        task = asyncio.create_task(twice())
        await asyncio.sleep(0.1)
        stand.link.cut()
        stand.link.cut()
        first, second = await task
        assert (first.kind, second.kind) == (Kind.ERROR, Kind.OK)
        assert task.cancelling() == 0
