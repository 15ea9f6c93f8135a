"""What every fault shows at a worker in memory, at all its magnitudes."""

from functools import partial

import pytest

from faults.fault import Fault
from faults.registry import FAULTS
from harness import sampling
from harness.judging.history import History
from harness.serving.cost_sets import TINY_CPU
from harness.serving.recorder import Recorder
from harness.virtual_deployment import deploy_virtual
from policies.pipeline import Pipeline
from tests.faults.cases import CASES
from tests.faults.effect_contract import TOPOLOGY, EffectContract, Lengths, cases

MAGNITUDES = 3

stand_up = partial(deploy_virtual, costs=TINY_CPU)


def test_every_fault_has_three_magnitudes_or_the_only_one_that_it_has() -> None:
    assert CASES.keys() == FAULTS.keys()
    for kind, faults in CASES.items():
        assert {fault.kind for fault in faults} == {kind}
        assert len(set(faults)) == (MAGNITUDES if FAULTS[kind]().parameters() else 1)


@pytest.fixture(autouse=True)
def _many_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many that a share of connections shows in twelve seconds."""
    monkeypatch.setattr(sampling, "PROBE_EVERY_S", 0.1)


class TestInMemory(EffectContract):
    lengths = Lengths(warm_up_s=2, baseline_s=6, fault_s=12, settle_s=6, recovery_s=4)
    noise = 0.01

    @pytest.mark.parametrize("fault", [pytest.param(fault, id=name) for name, fault in cases()])
    async def test_a_fault_shows_what_was_asked_of_it_there_and_then_only(self, fault: Fault) -> None:
        async with stand_up(TOPOLOGY, Pipeline(), Recorder(History()), 1) as stand:
            await self.check(stand, fault)
