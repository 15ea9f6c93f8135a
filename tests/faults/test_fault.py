"""What holds for every fault."""

import asyncio

import pytest

from faults.effect import NOTHING
from faults.engine.slow_steps import SlowSteps
from faults.fault import Fault, LinkFault, WorkerFault
from faults.registry import FAULTS
from faults.site import Site
from tests.faults.fakes import FakeSite

UNDONE = {"heal", "remove", "resume", "uncrowd", "restart", "uncap"}


@pytest.fixture
def site() -> FakeSite:
    return FakeSite()


@pytest.mark.parametrize("kind", FAULTS)
async def test_every_fault_is_there_inside_its_block_and_healed_after_it(kind: str, site: FakeSite) -> None:
    fault: Fault = FAULTS[kind]()
    checked: Site = site
    async with fault.install(checked):
        assert len(site.done) == 1
    assert site.done[-1] in UNDONE | {"kill"}


@pytest.mark.parametrize("kind", [k for k in FAULTS if k != "killed"])
async def test_every_fault_heals_when_its_block_is_cancelled(kind: str, site: FakeSite) -> None:
    async def hold() -> None:
        async with FAULTS[kind]().install(site):
            await asyncio.sleep(3600)

    task = asyncio.create_task(hold())
    await asyncio.sleep(1.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert site.done[-1] in UNDONE


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("link_first_byte", ["check first_byte"]),
        ("memory_pressure", ["check memory"]),
        ("gpu_hog", ["check gpu"]),
        ("gpu_power_limit", ["check power"]),
        ("gpu_clock_limit", ["check clock"]),
        ("slow_steps", []),
    ],
)
async def test_what_a_worker_may_never_have_is_asked_before_and_changes_nothing(
    kind: str, asked: list[str], site: FakeSite
) -> None:
    await FAULTS[kind]().check(site)
    assert site.done == asked


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_says_in_one_line_what_goes_wrong(kind: str) -> None:
    assert FAULTS[kind].kind == kind
    assert FAULTS[kind].meaning
    assert "\n" not in FAULTS[kind].meaning


def test_the_base_fault_does_nothing() -> None:
    assert (Fault().effect(), Fault().parameters()) == (NOTHING, {})
    assert WorkerFault().step_s(0.5) == 0.5
    assert LinkFault().toxics() == ()


class UnreachableSite(FakeSite):
    """A worker that is gone: it takes no fault and confirms no healing."""

    async def inject(self, fault: Fault, lease_s: float) -> None:
        raise ConnectionError("worker-0 did not take the fault")

    async def heal(self) -> None:
        raise RuntimeError("worker-0 does not confirm that its fault is gone")


async def test_a_fault_that_never_reached_its_worker_says_why_and_not_that_healing_failed() -> None:
    with pytest.raises(ConnectionError, match="did not take the fault"):
        async with SlowSteps(factor=2).install(UnreachableSite()):
            raise AssertionError("the block ran without its fault")


class SilentSite(FakeSite):
    """A worker that takes the fault and never says so."""

    async def inject(self, fault: Fault, lease_s: float) -> None:
        await super().inject(fault, lease_s)
        await asyncio.sleep(3600)


async def test_a_fault_that_is_cancelled_while_it_is_installed_is_healed() -> None:
    site = SilentSite()

    async def hold() -> None:
        async with SlowSteps(factor=2).install(site):
            raise AssertionError("the block ran before its fault")

    task = asyncio.create_task(hold())
    await asyncio.sleep(1.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert site.done == ["inject slow_steps", "heal"]


class SlowToHeal(FakeSite):
    """Takes a second to heal."""

    def __init__(self) -> None:
        super().__init__()
        self.heals = True

    async def heal(self) -> None:
        await asyncio.sleep(1)
        if not self.heals:
            raise RuntimeError("worker-0 does not confirm that its fault is gone")
        await super().heal()


@pytest.mark.parametrize("at_s", [2.0, 2.5])
async def test_who_is_cancelled_while_a_fault_is_lifted_hears_so_once_it_is_gone(at_s: float) -> None:
    """Also in the very moment at which the block ends: no Ctrl-C is lost."""
    site, went_on = SlowToHeal(), []

    async def hold() -> None:
        async with SlowSteps(factor=2).install(site):
            await asyncio.sleep(2.0)
            asyncio.get_running_loop().call_later(at_s - 2.0, task.cancel)
        went_on.append(True)
        await asyncio.sleep(0)

    task = asyncio.create_task(hold())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert site.done[-1] == "heal"
    assert went_on == []


async def test_a_fault_that_cannot_be_lifted_says_so_also_to_who_was_cancelled_meanwhile() -> None:
    site = SlowToHeal()
    site.heals = False

    async def hold() -> None:
        async with SlowSteps(factor=2).install(site):
            asyncio.get_running_loop().call_later(0.5, task.cancel)

    task = asyncio.create_task(hold())
    with pytest.raises(RuntimeError, match="does not confirm"):
        await task
