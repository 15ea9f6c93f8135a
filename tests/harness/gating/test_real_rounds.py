"""In which order the runs of a round come, real processes aside."""

from collections import defaultdict

from harness.arms import Arm
from harness.gating.real_rounds import _order
from harness.gating.rounds import Cell, fault_name, first_of

CELLS = [Cell("contain", "a()"), Cell("contain", "b()"), Cell("contain", "c()")]
NAMES = ["control", "control", "control-2"]  # of the third cell another one


def steps(number):
    return [(arm, name) for arm, _, name in _order(CELLS, NAMES, number)]


def test_cells_share_a_control_and_each_fault_is_run_once():
    assert steps(0) == [
        (Arm.CONTROL, "control"),
        (Arm.CONTROL, "control-2"),
        *((Arm.FAULT, fault_name(cell.fault)) for cell in CELLS),
    ]


def test_over_two_rounds_what_drifts_meets_all_alike():
    places = defaultdict(list)
    for number in (0, 1):
        for place, step in enumerate(steps(number)):
            places[step].append(place)
    assert {sum(each) for each in places.values()} == {len(steps(0)) - 1}


def test_a_shared_control_is_run_as_that_of_its_first_cell():
    controls = {name: cell for arm, cell, name in _order(CELLS, NAMES, 0) if arm is Arm.CONTROL}
    assert controls == {"control": CELLS[0], "control-2": CELLS[2]}


def test_a_pair_says_which_of_its_arms_was_first():
    assert [first_of(number) for number in range(4)] == [steps(number)[0][0] for number in range(4)]
