import pytest

from faults.engine.slow_steps import SlowSteps


def test_slow_steps_multiply_a_step() -> None:
    assert SlowSteps(factor=10).step_s(0.03) == pytest.approx(0.3)
    assert SlowSteps(factor=1).step_s(0.03) == 0.03


@pytest.mark.parametrize("factor", [0.99, 0, -1, float("nan"), float("inf")])
def test_a_factor_that_slows_nothing_or_for_ever_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="factor must be 1 or more"):
        SlowSteps(factor=factor)
