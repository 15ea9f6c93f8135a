import asyncio

import pytest

from faults.engine.slow_steps import SlowSteps
from faults.fault import LEASE_S, WorkerFault
from tests.faults.fakes import FakeSite


@pytest.fixture
def site() -> FakeSite:
    return FakeSite()


async def test_a_worker_fault_is_renewed_well_before_its_lease_ends(site: FakeSite) -> None:
    async with SlowSteps(factor=2).install(site):
        await asyncio.sleep(10 * LEASE_S)
    gaps = [b - a for a, b in zip(site.injected_s, site.injected_s[1:], strict=False)]
    assert max(gaps) <= LEASE_S / 2


async def test_one_lost_renewal_does_not_end_the_fault(site: FakeSite) -> None:
    async with SlowSteps(factor=2).install(site):
        site.fails = True
        await asyncio.sleep(LEASE_S / 2)
        site.fails = False
        await asyncio.sleep(LEASE_S)
    assert len(site.injected_s) >= 3


async def test_a_lease_is_renewed_no_more_once_its_block_has_ended(site: FakeSite) -> None:
    async with SlowSteps(factor=2).install(site):
        await asyncio.sleep(LEASE_S)
    seen = len(site.injected_s)
    assert seen > 1
    await asyncio.sleep(10 * LEASE_S)
    assert len(site.injected_s) == seen


class BusySite(FakeSite):
    """Takes its time to take a fault."""

    async def inject(self, fault: WorkerFault, lease_s: float) -> None:
        if self.done:
            await asyncio.sleep(0.5)
        await super().inject(fault, lease_s)


async def test_a_renewal_that_is_under_way_has_arrived_before_the_fault_is_lifted() -> None:
    site = BusySite()
    async with SlowSteps(factor=2).install(site):
        await asyncio.sleep(LEASE_S / 3 + 0.25)
    assert site.done == ["inject slow_steps", "inject slow_steps", "heal"]
    await asyncio.sleep(LEASE_S)
    assert site.done[-1] == "heal"
