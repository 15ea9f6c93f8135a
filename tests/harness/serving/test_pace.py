import asyncio

import pytest

from faults.engine.freeze import Freeze
from faults.engine.periodic_stall import PeriodicStall
from faults.engine.slow_steps import SlowSteps
from harness.serving.pace import Pace


def test_a_short_step_is_padded_to_the_floor() -> None:
    assert Pace(step_floor_s=0.03).step_s(0.004, now=0.0) == 0.03


def test_a_long_step_is_not_shortened() -> None:
    assert Pace(step_floor_s=0.03).step_s(0.05, now=0.0) == 0.05


def test_without_a_floor_a_step_takes_what_it_takes() -> None:
    assert Pace().step_s(0.004, now=0.0) == 0.004


def test_a_fault_stretches_the_padded_step() -> None:
    pace = Pace(step_floor_s=0.03)
    pace.inject(SlowSteps(factor=10), lease_s=3.0, now=0.0)
    assert pace.step_s(0.004, now=1.0) == pytest.approx(0.3)


def test_a_late_step_is_late_after_its_floor_and_its_fault_and_is_not_stretched() -> None:
    pace = Pace(step_floor_s=0.03, late_s=0.001)
    assert pace.step_s(0.004, now=0.0) == pytest.approx(0.031)
    assert pace.step_s(0.05, now=0.0) == pytest.approx(0.051)
    pace.inject(SlowSteps(factor=10), lease_s=3.0, now=0.0)
    assert pace.step_s(0.004, now=1.0) == pytest.approx(0.301)


def test_a_fault_ends_by_itself_when_its_lease_is_not_renewed() -> None:
    pace = Pace(step_floor_s=0.03)
    pace.inject(SlowSteps(factor=10), lease_s=3.0, now=0.0)
    assert pace.step_s(0.0, now=2.9) == pytest.approx(0.3)
    assert pace.step_s(0.0, now=3.0) == 0.03


def test_renewing_prolongs_and_healing_ends_at_once() -> None:
    pace = Pace(step_floor_s=0.03)
    pace.inject(SlowSteps(factor=10), lease_s=3.0, now=0.0)
    pace.inject(SlowSteps(factor=10), lease_s=3.0, now=2.0)
    assert pace.step_s(0.0, now=4.5) == pytest.approx(0.3)
    pace.heal()
    assert pace.step_s(0.0, now=4.5) == 0.03


FROZEN = SlowSteps(factor=10_000)  # a step of 0.03 s takes 300 s


@pytest.fixture
def frozen() -> Pace:
    """On a clock at 0, with a fault that is not renewed for 60 s."""
    pace = Pace(step_floor_s=0.03)
    pace.inject(FROZEN, lease_s=60.0, now=0.0)
    return pace


async def held_s(pace: Pace, elapsed_s: float = 0.0) -> float:
    """When a step ends that began at 0."""
    await pace.hold(0.0, elapsed_s)
    return asyncio.get_running_loop().time()


async def test_a_healthy_step_is_held_for_its_floor() -> None:
    assert await held_s(Pace(step_floor_s=0.03)) == 0.03


async def test_a_stretched_step_is_held_for_all_its_time() -> None:
    pace = Pace(step_floor_s=0.03)
    pace.inject(SlowSteps(factor=10), lease_s=60.0, now=0.0)
    assert await held_s(pace) == pytest.approx(0.3)


async def test_a_step_that_is_being_stretched_ends_when_its_fault_is_healed(frozen: Pace) -> None:
    asyncio.get_running_loop().call_at(5.0, frozen.heal)
    assert await held_s(frozen) == 5.0


async def test_a_step_healed_before_its_floor_still_takes_its_floor(frozen: Pace) -> None:
    asyncio.get_running_loop().call_at(0.01, frozen.heal)
    assert await held_s(frozen) == 0.03


async def test_a_step_that_is_being_stretched_ends_with_the_lease_of_its_fault(frozen: Pace) -> None:
    assert await held_s(frozen) == 60.0


async def test_a_renewed_lease_goes_on_stretching_the_step(frozen: Pace) -> None:
    asyncio.get_running_loop().call_at(50.0, frozen.inject, FROZEN, 60.0, 50.0)
    assert await held_s(frozen) == 110.0


async def test_a_milder_fault_shortens_the_step_it_finds_and_the_time_waited_counts(frozen: Pace) -> None:
    asyncio.get_running_loop().call_at(1.0, frozen.inject, SlowSteps(factor=100), 60.0, 1.0)
    assert await held_s(frozen) == pytest.approx(3.0)


async def test_a_fault_that_ended_earlier_does_not_hold_later_steps(frozen: Pace) -> None:
    frozen.heal()
    assert await held_s(frozen) == 0.03


async def test_a_step_that_a_fault_holds_counts_as_stalled_while_it_is_held_and_after_it() -> None:
    clock = asyncio.get_running_loop().time
    pace = Pace(step_floor_s=0.03)
    pace.inject(Freeze(), lease_s=60.0, now=clock())
    step = asyncio.create_task(pace.hold(clock(), 0.0))
    await asyncio.sleep(5)
    assert pace.stalled_s(clock()) == pytest.approx(5 - 0.03)
    pace.heal()
    await step
    await asyncio.sleep(5)
    assert pace.stalled_s(clock()) == pytest.approx(5 - 0.03)
    await pace.hold(clock(), 0.0)
    assert pace.stalled_s(clock()) == pytest.approx(5 - 0.03)


async def test_a_stall_counts_for_as_long_as_it_is_and_a_slow_step_for_nothing() -> None:
    clock = asyncio.get_running_loop().time
    pace = Pace(step_floor_s=0.03)
    pace.inject(SlowSteps(factor=10), lease_s=1.0, now=clock())
    await pace.hold(clock(), 0.0)
    assert pace.stalled_s(clock()) == 0
    pace.inject(PeriodicStall(stall_s=0.5, every_s=2), lease_s=60.0, now=clock())
    await pace.hold(clock(), 0.0)
    assert pace.stalled_s(clock()) == pytest.approx(0.5)


def test_a_renewal_or_another_magnitude_of_a_fault_does_not_begin_it_anew() -> None:
    pace = Pace()
    pace.inject(PeriodicStall(stall_s=0.5), lease_s=3.0, now=1.0)
    pace.inject(PeriodicStall(stall_s=0.6), lease_s=3.0, now=3.0)
    assert pace.fault_since_s == 1.0
    pace.inject(Freeze(), lease_s=3.0, now=4.0)
    assert pace.fault_since_s == 4.0
    pace.inject(Freeze(), lease_s=3.0, now=9.0)  # its lease had ended
    assert pace.fault_since_s == 9.0
