"""Wedge and instant error: what becomes of requests that come, and of those that are inside already."""

import asyncio

import pytest

from faults.fault import LEASE_S
from faults.worker.instant_error import InstantError
from faults.worker.wedge import Wedge
from policies.outcome import Kind, Outcome
from tests.harness.serving.memory_stand import STEP_S, MemoryStand, attempt, memory_stand


def ask(stand: MemoryStand, name: str, tokens: int = 8) -> "asyncio.Task[object]":
    return asyncio.create_task(stand.link.send(attempt(name, tokens=tokens)))


async def test_a_wedged_worker_ends_what_it_has_and_answers_nobody_else_until_it_is_healed() -> None:
    async with memory_stand() as stand:
        inside = ask(stand, "before")
        await asyncio.sleep(STEP_S / 2)
        async with Wedge().install(stand.site):
            held = ask(stand, "held")
            assert (await inside).answered
            await asyncio.sleep(20)
            assert not held.done()
            assert await stand.admin.health()
            assert (stand.worker.counts.arrived, stand.worker.counts.unanswered) == (2, 1)
        assert (await held).answered
        assert await stand.at_rest()


async def test_whoever_leaves_a_wedged_worker_leaves_nothing_behind() -> None:
    async with memory_stand() as stand:
        async with Wedge().install(stand.site):
            held = ask(stand, "held")
            await asyncio.sleep(1)
            held.cancel()
            await asyncio.wait([held])
        assert stand.worker.counts.steps == 0
        assert await stand.at_rest()


async def test_a_wedge_that_nobody_renews_ends_with_its_lease() -> None:
    async with memory_stand() as stand:
        await stand.site.inject(Wedge(), LEASE_S)
        assert (await ask(stand, "held", tokens=1)).answered
        assert asyncio.get_running_loop().time() == pytest.approx(LEASE_S + STEP_S)


async def test_a_wedged_worker_that_is_killed_holds_nobody() -> None:
    async with memory_stand() as stand, Wedge().install(stand.site):
        held = ask(stand, "held")
        await asyncio.sleep(1)
        await stand.site.kill()
        assert (await held).kind is Kind.ERROR


async def test_a_wedged_worker_whose_step_loop_ends_says_so_to_those_it_holds() -> None:
    gone = Outcome(kind=Kind.ERROR, cause="gone", by="worker-0")
    async with memory_stand() as stand, Wedge().install(stand.site):
        held = asyncio.create_task(stand.worker.handle(attempt().call))
        await asyncio.sleep(1)
        stand.worker.end(gone)
        assert await held is gone
        assert asyncio.get_running_loop().time() == 1


@pytest.mark.parametrize(
    ("status", "kind"), [(500, Kind.ERROR), (404, Kind.ERROR), (429, Kind.OVERLOAD), (504, Kind.TIMEOUT)]
)
async def test_an_instant_error_takes_no_time_and_no_model_work(status: int, kind: Kind) -> None:
    async with memory_stand() as stand:
        async with InstantError(status=status).install(stand.site):
            outcome = await stand.link.send(attempt())
            assert (outcome.kind, outcome.status, outcome.by) == (kind, status, "worker-0")
            assert asyncio.get_running_loop().time() == 0
            assert (stand.worker.counts.steps, stand.worker.counts.failed) == (0, 1)
        assert (await stand.link.send(attempt())).answered


@pytest.mark.parametrize("status", [200, 399, 600, float("nan")])
def test_a_status_that_is_no_error_is_refused(status: float) -> None:
    with pytest.raises(ValueError, match="status must be 400 or more and at most 599"):
        InstantError(status=status)
