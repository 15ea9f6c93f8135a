import asyncio

import pytest

from faults.slow_steps import SlowSteps
from harness.errors import BadInput
from harness.serving.fault_desk import FaultDesk
from tests.faults.fakes import FakeSite


@pytest.fixture
def site() -> FakeSite:
    return FakeSite()


async def test_an_ordered_fault_is_on_at_once_and_heals_by_itself(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    await desk.order("worker-0", SlowSteps(factor=2), for_s=30)
    assert site.done == ["inject slow_steps"]
    await asyncio.sleep(29.9)
    assert "heal" not in site.done
    await asyncio.sleep(0.2)
    assert site.done[-1] == "heal"


async def test_a_second_fault_on_the_same_worker_is_refused_until_the_first_has_ended(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    await desk.order("worker-0", SlowSteps(factor=2), for_s=30)
    with pytest.raises(BadInput, match="worker-0 has a fault already"):
        await desk.order("worker-0", SlowSteps(factor=3), for_s=30)
    await asyncio.sleep(31)
    await desk.order("worker-0", SlowSteps(factor=3), for_s=1)
    await desk.close()


async def test_closing_heals_what_is_still_on(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    await desk.order("worker-0", SlowSteps(factor=2), for_s=3600)
    await desk.close()
    assert site.done[-1] == "heal"


async def test_a_fault_that_cannot_be_installed_tells_the_one_who_ordered(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    site.fails = True
    with pytest.raises(ConnectionError):
        await desk.order("worker-0", SlowSteps(factor=2), for_s=30)


async def test_an_unknown_worker_is_refused_with_the_closest_name(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    with pytest.raises(BadInput, match=r"unknown worker 'worker-9'. Closest: worker-0"):
        await desk.order("worker-9", SlowSteps(factor=2), for_s=30)
