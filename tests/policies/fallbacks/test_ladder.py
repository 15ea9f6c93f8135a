"""Steps by pressure: taken at once, held for a while, left by themselves."""

import pytest

from policies.call_window import CallWindow
from policies.evidence import Answer
from policies.fallbacks.ladder import Ladder, Step, next_step

FULL, CAPPED, REFUSING = Step


@pytest.mark.parametrize(
    ("step", "pressure", "expected"),
    [
        (FULL, 0.0, FULL),
        (FULL, 0.1, FULL),
        (FULL, 0.11, CAPPED),
        (FULL, 0.5, CAPPED),
        (FULL, 0.51, REFUSING),
        (CAPPED, 0.06, CAPPED),
        (CAPPED, 0.05, FULL),
        (CAPPED, 0.51, REFUSING),
        (REFUSING, 0.26, REFUSING),
        (REFUSING, 0.25, CAPPED),
        (REFUSING, 0.06, CAPPED),
        (REFUSING, 0.05, FULL),
    ],
)
def test_a_step_is_taken_above_its_bound_and_held_until_half_of_it(step, pressure, expected):
    assert next_step(step, pressure, 0.1, 0.5) is expected


def test_pressure_that_swings_around_a_bound_does_not_move_the_step():
    step, moves = FULL, 0
    for pressure in [0.12, 0.08] * 50:
        after = next_step(step, pressure, 0.1, 0.5)
        moves += after is not step
        step = after
    assert (step, moves) == (CAPPED, 1)


def ladder(min_calls=20):
    return Ladder(CallWindow(10.0), min_calls, 0.1, 0.5)


def test_too_few_calls_say_nothing():
    steps = ladder()
    for tick in range(19):
        steps.count(Answer.REJECT, tick * 0.1)
    assert steps.move(2.0) is FULL
    steps.count(Answer.REJECT, 2.0)
    assert steps.move(2.0) is REFUSING


def test_calls_that_nobody_waited_for_say_nothing():
    steps = ladder()
    for _ in range(100):
        steps.count(Answer.NOTHING, 0.0)
    assert steps.move(0.0) is FULL


def test_with_nothing_heard_for_a_window_there_is_full_service_again():
    steps = ladder()
    for _ in range(20):
        steps.count(Answer.REJECT, 0.0)
    assert steps.move(1.0) is REFUSING
    assert steps.move(9.4) is REFUSING
    assert steps.move(10.0) is FULL
