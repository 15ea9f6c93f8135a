"""The faults that make steps longer: which steps, and by how much."""

import pytest

from faults.engine.added_per_step import AddedPerStep
from faults.engine.slow_decode import SlowDecode
from faults.engine.slow_prefill import SlowPrefill


def test_a_slow_prefill_multiplies_steps_with_a_prompt_in_them_and_no_others() -> None:
    fault = SlowPrefill(factor=5)
    assert fault.step_s(0.03, prefill=True) == pytest.approx(0.15)
    assert fault.step_s(0.03, prefill=False) == 0.03


def test_a_slow_decode_multiplies_all_other_steps() -> None:
    fault = SlowDecode(factor=5)
    assert fault.step_s(0.03, prefill=False) == pytest.approx(0.15)
    assert fault.step_s(0.03, prefill=True) == 0.03


@pytest.mark.parametrize("prefill", [True, False])
def test_what_is_added_is_added_to_every_step(*, prefill: bool) -> None:
    assert AddedPerStep(added_s=0.2).step_s(0.03, prefill=prefill) == pytest.approx(0.23)


@pytest.mark.parametrize("fault", [SlowPrefill(factor=5), SlowDecode(factor=5), AddedPerStep(added_s=0.2)])
def test_at_half_its_strength_a_fault_adds_half_of_what_it_adds(fault) -> None:
    half = fault.at(0.5)
    for prefill in (True, False):
        whole_s = fault.step_s(1.0, prefill=prefill) - 1.0
        assert half.step_s(1.0, prefill=prefill) - 1.0 == pytest.approx(whole_s / 2)
    assert fault.at(0).step_s(1.0) == 1.0


@pytest.mark.parametrize("wrong", [0.99, -1, float("nan"), float("inf")])
def test_what_slows_nothing_or_for_ever_is_refused(wrong: float) -> None:
    for fault in (SlowPrefill, SlowDecode):
        with pytest.raises(ValueError, match="factor must be 1 or more"):
            fault(factor=wrong)
    if not 0 <= wrong < float("inf"):
        with pytest.raises(ValueError, match="added_s must be 0 or more"):
            AddedPerStep(added_s=wrong)
