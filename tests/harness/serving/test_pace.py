import pytest

from faults.slow_steps import SlowSteps
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
