"""What comes and goes is given time enough to be judged as what stays."""

import pytest

from faults.shape import CONSTANT, Flapping, Intermittent, Ramp
from harness.config import find_scenario
from harness.fault_text import with_fault
from harness.judging.result import Verdict
from harness.lasting import MOST, lasting_s
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_run import VirtualRun


@pytest.mark.parametrize(
    ("shape", "length_s"),
    [
        (CONSTANT, 21.0),
        (Ramp(rise_s=5), 26.0),
        (Flapping(on_s=5, off_s=5), 41.0),
        (Flapping(on_s=30, off_s=5), 21.0),
        (Ramp(rise_s=5, hold_s=1, fall_s=1), 21.0),  # waiting longer brings no more of it
        (Ramp(rise_s=1000), 21.0),
        (Flapping(on_s=1, off_s=50), 103.0),  # three times on, and the fourth would be after the bound
    ],
)
def test_a_phase_lasts_until_the_fault_was_at_its_strongest_for_as_long(shape, length_s):
    assert lasting_s(shape, 21.0) == pytest.approx(length_s)


def test_what_comes_by_chance_is_waited_for_within_a_bound():
    assert 21.0 < lasting_s(Intermittent(), 21.0) <= MOST * 21.0


def test_only_a_fault_that_comes_and_goes_makes_the_phase_longer():
    slow = find_scenario("slow_worker")
    assert with_fault(slow, "slow_steps(5)").phases == slow.phases
    assert with_fault(slow, "slow_steps(5, shape=ramp())").phases.fault_s == slow.phases.fault_s + 5


@pytest.mark.parametrize(
    ("shape", "verdict"),
    [
        ("ramp", Verdict.PASS),
        ("ramp(rise=10)", Verdict.PASS),
        ("flapping", Verdict.PASS),
        ("ramp(rise=5, hold=1, fall=1)", Verdict.INCONCLUSIVE),  # a second of it proves nothing
    ],
)
def test_a_fault_with_a_shape_is_contained_only_if_it_was_at_its_strongest_for_long(shape, verdict, tmp_path):
    fault = f"slow_decode(5, shape={shape})"
    run = VirtualRun(scenario="slow_worker", preset="contain", seed=1, costs=TINY_CPU, fault=fault)
    result = run.conduct(tmp_path)
    assert result.verdict is verdict
    if verdict is Verdict.INCONCLUSIVE:
        assert "the fault was at its strongest for 1.0 s" in result.headline
