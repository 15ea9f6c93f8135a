import pytest

from harness.judging.agreement import verdict_against, with_measured
from harness.judging.result import Law

FILLS = Law(words="w", hop="api", slots=24, must_fill=True, full_low_s=2.0, full_high_s=5.0, applies=True)
HOLDS = Law(words="w", hop="api", slots=24, must_fill=False, applies=True)


@pytest.mark.parametrize(
    ("law", "full_s", "spread", "complaint"),
    [
        (FILLS, 3.0, True, ""),
        (FILLS, None, False, "had to fill, and never did"),
        (FILLS, 3.0, False, "yet the verdict is contained"),
        (FILLS, None, None, "had to fill, and never did"),
        (HOLDS, None, False, ""),
        (HOLDS, 3.0, None, "yet one did"),
        (HOLDS, None, True, "yet the verdict is spread"),
    ],
)
def test_a_verdict_that_contradicts_its_law_is_flagged(law, full_s, spread, complaint):
    found = with_measured(law, {"front": None, "api": full_s}, 20.0, spread=spread).contradicted
    assert complaint in found
    assert bool(found) is bool(complaint)


def test_pressure_that_had_no_time_to_arrive_contradicts_nothing():
    assert with_measured(FILLS, {"api": None}, 4.0, spread=False).contradicted == ""


def test_a_preset_with_bounds_cannot_contradict_a_law_without():
    bounded = FILLS.model_copy(update={"applies": False})
    assert with_measured(bounded, {"api": None}, 20.0, spread=False).contradicted == ""


def test_the_first_service_that_filled_is_the_measurement():
    law = with_measured(FILLS, {"front": 6.0, "api": 3.25, "other": None}, 20.0, spread=True)
    assert law.measured_s == 3.25
    assert law.words == "w, measured 3.2 s"


@pytest.mark.parametrize(
    ("law", "spread", "complaint"),
    [
        (FILLS, False, "had to fill, yet the verdict is contained"),
        (FILLS, True, ""),
        (FILLS, None, ""),
        (HOLDS, True, "yet the verdict is spread"),
        (HOLDS, False, ""),
        (HOLDS.model_copy(update={"applies": False}), True, ""),
        (FILLS.model_copy(update={"applies": False}), False, ""),
    ],
)
def test_a_verdict_on_several_pairs_is_held_against_the_law_without_their_slots(law, spread, complaint):
    found = verdict_against(law, 20.0, spread=spread)
    assert complaint in found
    assert bool(found) is bool(complaint)


def test_several_short_faults_contradict_no_law_either():
    assert verdict_against(FILLS, 4.0, spread=False) == ""
