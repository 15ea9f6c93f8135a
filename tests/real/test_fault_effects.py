"""What every fault shows at a worker process: the contract of tests/faults on one real layer for all cases.

With the cases of tests/faults/test_effects.py this is the test of parity: the same faults, with the same
parameters, seen by the same measures, in both worlds. The clock of the machine is not ours: a case that
another program disturbed is seen again, twice at most, and left out if the machine is too busy even for the
healthy worker to keep its time. At most a quarter may be left out.
"""

from collections.abc import AsyncIterator, Iterator
from math import inf
from typing import ClassVar

import pytest
import pytest_asyncio

from faults.fault import Fault
from harness import sampling
from harness.judging.effects.steps import mean_step_s
from harness.judging.history import History
from harness.real_deployment import Options, RealDeployment, deploy
from harness.serving.recorder import Recorder
from policies.pipeline import Pipeline
from tests.faults.cases import APART, CASES, REAL
from tests.faults.effect_contract import OTHER, TOPOLOGY, EffectContract, Lengths, Seen

TRIES = 3
LATE_AT_MOST_RATIO = 0.3  # of a step; a worker that is later than this shows the machine and not the fault

pytestmark = [pytest.mark.real, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(autouse=True)
def _many_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case lasts two seconds instead of the half minute of a run."""
    monkeypatch.setattr(sampling, "WORKERS_EVERY_S", 0.1)
    monkeypatch.setattr(sampling, "PROBE_EVERY_S", 0.1)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def stand() -> AsyncIterator[RealDeployment]:
    options = Options(toxiproxy="embedded", device="cpu")
    async with deploy(TOPOLOGY, Pipeline(), Recorder(History()), 1, options=options) as standing:
        yield standing


def real_cases() -> Iterator[Fault]:
    """One magnitude of each, those that nothing heals last."""
    yield from sorted(
        (faults[REAL.get(kind, 0)] for kind, faults in CASES.items() if kind not in APART),
        key=lambda f: not f.heals,
    )


class TooBusyError(Exception):
    """The healthy worker does not keep its time."""


class TestProcesses(EffectContract):
    lengths = Lengths(warm_up_s=0.3, baseline_s=0.8, fault_s=1.2, settle_s=0.4, recovery_s=0.6)
    noise = 0.1
    left_out: ClassVar[list[str]] = []

    def late_ratio(self, seen: Seen) -> float:
        """No fault makes timers later, so what they are late by is a smaller share of longer steps."""
        step_s = mean_step_s(seen.history.gauges(OTHER), seen.timeline.fault)
        late_ratio = inf if step_s is None else max(0.0, step_s / TOPOLOGY.step_floor_s - 1)
        if late_ratio > LATE_AT_MOST_RATIO:
            raise TooBusyError(f"steps of {OTHER} take {late_ratio:.0%} longer than they should")
        return late_ratio

    @pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.kind) for fault in real_cases()])
    async def test_a_fault_shows_what_was_asked_of_it_there_and_then_only(
        self, stand: RealDeployment, fault: Fault
    ) -> None:
        try:
            await self._check_again(stand, fault)
        except TooBusyError as busy:
            self.left_out.append(fault.kind)
            pytest.skip(f"the machine is too busy: {busy}")

    async def _check_again(self, stand: RealDeployment, fault: Fault) -> None:
        """What nothing heals is seen once."""
        for _ in range(TRIES - 1 if fault.heals else 0):
            try:
                return await self.check(stand, fault)
            except (AssertionError, TooBusyError, ConnectionError):
                continue
        return await self.check(stand, fault)

    async def test_at_most_a_quarter_of_the_cases_is_left_out(self) -> None:
        assert len(self.left_out) <= len(list(real_cases())) / 4, self.left_out
