import asyncio

import pytest

from faults.engine.slow_steps import SlowSteps
from faults.fault import Fault
from faults.process.killed import Killed
from faults.shape import Flapping
from harness.errors import BadInput, CleanupUnverified, EnvironmentFault
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
    await asyncio.sleep(10)
    words = r"^worker-0 has a fault already: slow_steps\(factor=2\), for 20 s more. .* --lift --worker 0$"
    with pytest.raises(BadInput, match=words):
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


class SlowToTake(FakeSite):
    """A worker that takes a fault after one second."""

    async def inject(self, fault: Fault, lease_s: float) -> None:
        await asyncio.sleep(1.0)
        await super().inject(fault, lease_s)


async def test_who_leaves_before_the_fault_is_on_has_withdrawn_it() -> None:
    site = SlowToTake()
    desk = FaultDesk({"worker-0": site})
    order = asyncio.create_task(desk.order("worker-0", SlowSteps(factor=2), for_s=30))
    await asyncio.sleep(0.5)
    order.cancel()
    await asyncio.sleep(2.0)
    assert site.done == ["heal"]
    await desk.order("worker-0", SlowSteps(factor=2), for_s=30)
    await desk.close()


async def test_a_fault_that_comes_on_as_its_orderer_leaves_is_healed_and_breaks_nothing(
    site: FakeSite, caplog: pytest.LogCaptureFixture
) -> None:
    desk = FaultDesk({"worker-0": site})
    order = asyncio.create_task(desk.order("worker-0", SlowSteps(factor=2), for_s=30))
    await asyncio.sleep(0)
    order.cancel()  # in the very turn in which the fault comes on
    await asyncio.sleep(1.0)
    assert site.done == ["inject slow_steps", "heal"]
    await desk.close()
    assert not caplog.records


async def test_closing_while_a_fault_is_installed_tells_the_one_who_waits() -> None:
    desk = FaultDesk({"worker-0": SlowToTake()})
    order = asyncio.create_task(desk.order("worker-0", SlowSteps(factor=2), for_s=30))
    await asyncio.sleep(0.5)
    await desk.close()
    with pytest.raises(EnvironmentFault, match="stopped before the fault was on worker-0"):
        await order


async def test_closing_before_the_installing_has_begun_tells_the_one_who_waits(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    order = asyncio.create_task(desk.order("worker-0", SlowSteps(factor=2), for_s=30))
    await asyncio.sleep(0)
    await desk.close()
    with pytest.raises(EnvironmentFault, match="stopped before the fault was on worker-0"):
        await order


class BrokenSite(FakeSite):
    """Fails in a way that nobody has thought of."""

    async def inject(self, fault: Fault, lease_s: float) -> None:
        raise LookupError("nobody thought of this")


async def test_an_error_nobody_thought_of_reaches_the_one_who_ordered_too() -> None:
    desk = FaultDesk({"worker-0": BrokenSite()})
    with pytest.raises(LookupError, match="nobody thought of this"):
        async with asyncio.timeout(60):
            await desk.order("worker-0", SlowSteps(factor=2), for_s=30)
    await desk.close()


class HealsNot(FakeSite):
    """A worker that does not confirm its healing."""

    async def heal(self) -> None:
        raise CleanupUnverified("worker-0 does not confirm that its fault is gone")


@pytest.mark.parametrize("for_s", [1.0, 3600.0], ids=["after its time", "in closing"])
async def test_a_fault_that_does_not_heal_is_told_by_closing(for_s: float) -> None:
    desk = FaultDesk({"worker-0": HealsNot()})
    await desk.order("worker-0", SlowSteps(factor=2), for_s)
    await asyncio.sleep(10)
    with pytest.raises(CleanupUnverified, match="slow_steps on worker-0 may still be there: worker-0 does"):
        await desk.close()


async def test_a_kill_holds_no_place_for_a_fault_that_would_heal(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    await desk.order("worker-0", Killed(), for_s=3600)
    await asyncio.sleep(1.0)
    await desk.order("worker-0", SlowSteps(factor=2), for_s=1)
    await desk.close()


async def test_a_fault_may_be_lifted_before_its_time_and_another_ordered_at_once(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    await desk.order("worker-0", SlowSteps(factor=2), for_s=3600)
    assert await desk.lift("worker-0") == "slow_steps(factor=2) on worker-0"
    assert site.done[-1] == "heal"
    await desk.order("worker-0", SlowSteps(factor=3), for_s=1)
    await desk.close()


async def test_lifting_says_what_is_wrong(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    with pytest.raises(BadInput, match="worker-0 has no fault"):
        await desk.lift("worker-0")
    with pytest.raises(BadInput, match="unknown worker 'worker-9'"):
        await desk.lift("worker-9")
    broken = FaultDesk({"worker-0": HealsNot()})
    await broken.order("worker-0", SlowSteps(factor=2), for_s=3600)
    with pytest.raises(CleanupUnverified, match="slow_steps on worker-0 may still be there"):
        await broken.lift("worker-0")


async def test_each_fault_is_told_as_it_comes_and_goes(site: FakeSite) -> None:
    told: list[str] = []
    desk = FaultDesk({"worker-0": site, "worker-1": HealsNot()}, told=told.append)
    await desk.order("worker-0", SlowSteps(factor=2), for_s=5)
    await asyncio.sleep(6)
    await desk.order("worker-0", Killed(), for_s=5)
    await asyncio.sleep(6)
    assert told == [
        "slow_steps(factor=2) on worker-0 for 5 s",
        "slow_steps(factor=2) on worker-0 has ended",
        "killed() on worker-0",
    ]
    await desk.order("worker-1", SlowSteps(factor=2), for_s=5)
    await asyncio.sleep(6)
    assert told[-1].startswith("slow_steps on worker-1 may still be there")


async def test_a_crash_loop_goes_on_for_its_time(site: FakeSite) -> None:
    desk = FaultDesk({"worker-0": site})
    await desk.order("worker-0", Killed(shape=Flapping(on_s=1, off_s=1)), for_s=10)
    await asyncio.sleep(9)
    with pytest.raises(BadInput, match="worker-0 has a fault already"):
        await desk.order("worker-0", SlowSteps(), for_s=1)
    await desk.close()
