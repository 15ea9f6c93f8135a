"""What runs in each arm of a pair."""

import pytest

from faults.process.killed import Killed
from harness.arms import Arm, in_arm
from harness.asking import plan_requests
from harness.errors import BadInput
from harness.scenario import Caller, Scenario
from scenarios import SCENARIOS

SLOW = SCENARIOS["slow_worker"]


def test_the_arm_with_the_fault_is_the_scenario_itself():
    assert in_arm(SLOW, Arm.FAULT) is SLOW


@pytest.mark.parametrize("arm", Arm)
def test_all_arms_are_asked_the_same_requests_over_the_same_time(arm):
    found = in_arm(SLOW, arm)
    assert plan_requests(found, 3) == plan_requests(SLOW, 3)
    assert found.phases == SLOW.phases
    assert found.topology == SLOW.topology


def test_the_control_has_no_fault_and_the_same_callers_avoid_the_same_worker():
    control = in_arm(SLOW, Arm.CONTROL)
    assert control.fault is None
    assert control.callers == SLOW.callers
    assert control.faulted_workers == SLOW.faulted_workers


def test_a_removed_worker_is_one_that_nobody_may_use():
    removed = in_arm(SLOW, Arm.REMOVED)
    assert removed.fault is None
    assert all(caller.avoids_fault for caller in removed.callers)


def test_the_dead_worker_is_the_one_that_was_slow():
    dead = in_arm(SLOW, Arm.DEAD)
    assert isinstance(dead.fault, Killed)
    assert dead.faulted_names() == SLOW.faulted_names()


@pytest.mark.parametrize("arm", [Arm.REMOVED, Arm.DEAD])
def test_where_nobody_is_slow_nobody_can_be_removed_or_dead(arm):
    with pytest.raises(BadInput, match="healthy has no fault"):
        in_arm(SCENARIOS["healthy"], arm)


@pytest.mark.parametrize("arm", [Arm.REMOVED, Arm.DEAD])
def test_where_all_are_slow_none_would_be_left(arm):
    everywhere = Scenario(
        name="everywhere",
        meaning="all of them",
        fault=SLOW.fault,
        expects={},
        faulted_workers=(0, 1, 2, 3),
        callers=(Caller(name="chat", enters="front", rate_rps=1, max_tokens=4),),
    )
    with pytest.raises(BadInput, match="none would be left"):
        in_arm(everywhere, arm)
