"""What holds for every fault."""

import asyncio

import pytest

from faults.fault import Fault, Site
from faults.registry import FAULTS
from faults.slow_steps import SlowSteps
from tests.faults.fakes import FakeSite


@pytest.fixture
def site() -> FakeSite:
    return FakeSite()


@pytest.mark.parametrize("kind", FAULTS)
async def test_every_fault_is_there_inside_its_block_and_healed_after_it(kind: str, site: FakeSite) -> None:
    fault: Fault = FAULTS[kind]()
    checked: Site = site
    async with fault.install(checked):
        assert len(site.done) == 1
    assert site.done[-1] in ("heal", "remove", "kill")


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
    assert site.done[-1] in ("heal", "remove")


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_says_in_one_line_what_goes_wrong(kind: str) -> None:
    assert FAULTS[kind].kind == kind
    assert FAULTS[kind].meaning
    assert "\n" not in FAULTS[kind].meaning


def test_the_base_fault_does_nothing() -> None:
    fault = Fault()
    assert (fault.step_s(0.5), fault.toxics(), fault.parameters()) == (0.5, (), {})


async def test_a_fault_that_cannot_be_installed_is_an_error_and_is_healed_all_the_same(
    site: FakeSite,
) -> None:
    site.fails = True
    with pytest.raises(ConnectionError):
        async with SlowSteps(factor=2).install(site):
            raise AssertionError("the block ran without its fault")
    assert site.done == ["heal"]
