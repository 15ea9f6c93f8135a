import pytest

from faults.engine.slow_steps import SlowSteps
from harness.judging.history import History
from harness.serving.cost_sets import TINY_CPU
from harness.serving.recorder import Recorder
from harness.virtual_deployment import deploy_virtual
from policies.pipeline import Pipeline
from tests.faults.effect_contract import OTHER, TOPOLOGY, Lengths, observe


def test_slow_steps_multiply_a_step() -> None:
    assert SlowSteps(factor=10).step_s(0.03) == pytest.approx(0.3)
    assert SlowSteps(factor=1).step_s(0.03) == 0.03


@pytest.mark.parametrize("factor", [0.99, 0, -1, float("nan"), float("inf")])
def test_a_factor_that_slows_nothing_or_for_ever_is_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="factor must be 1 or more"):
        SlowSteps(factor=factor)


# report 17: chaos-mesh#1478
async def test_one_worker_computes_five_times_as_long_and_the_other_as_ever() -> None:
    lengths = Lengths(warm_up_s=2, baseline_s=6, fault_s=12, settle_s=6, recovery_s=4)
    async with deploy_virtual(TOPOLOGY, Pipeline(), Recorder(History()), 1, costs=TINY_CPU) as stand:
        seen = await observe(stand, SlowSteps(factor=5), lengths)
    assert seen.measured() == pytest.approx(5, rel=0.05)
    assert seen.measured(OTHER) == pytest.approx(1, rel=0.05)
    assert seen.after() == pytest.approx(1, rel=0.05)
