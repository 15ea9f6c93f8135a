"""A run that cannot go on ends at once, with the error that broke it as it is."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from faults.fault import Fault
from faults.link.link_latency import LinkLatency
from faults.process.gpu_limit import GpuClockLimit, GpuPowerLimit
from faults.site import Toxic
from harness.errors import EnvironmentFault
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Phases
from harness.serving.cost_sets import SHIPPED
from harness.serving.memory_site import MemorySite
from harness.virtual_deployment import deploy_virtual
from policies.call import Call
from policies.outcome import Outcome
from policies.pipeline import Pipeline
from policies.policy import Layer, Next
from scenarios import SCENARIOS

PHASES = Phases(warm_up_s=0.5, baseline_s=1.0, fault_s=2.0, recovery_s=1.0, drain_s=5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken(Layer):
    """A policy with a defect: each call that comes after `from_s` raises `error`, `after_s` later."""

    error: BaseException
    from_s: float
    after_s: float = 0.0

    async def run(self, call: Call, next: Next) -> Outcome:
        if asyncio.get_running_loop().time() >= self.from_s:
            await asyncio.sleep(self.after_s)
            raise self.error
        return await next(call)


@pytest.fixture
def run_with(tmp_path: Path) -> Callable[[Layer], object]:
    def run_it(layer: Layer) -> object:
        scenario = replace(SCENARIOS["healthy"], phases=PHASES)
        preset = SimpleNamespace(name="broken", build=lambda _workers: Pipeline(layers=(layer,)))
        deploy = partial(deploy_virtual, costs=SHIPPED["tiny_cpu"])
        return run(scenario, preset, 1, deploy, tmp_path / "history.jsonl", NoProgress())

    return run_it


@pytest.mark.parametrize(
    ("from_s", "after_s", "ends_s"),
    [(1.0, 0.0, 1.0), (PHASES.load_s - 0.5, 2.0, PHASES.load_s + 1.5)],
    ids=["while sending", "while draining"],
)
async def test_a_request_that_raises_ends_the_run_at_once_with_its_own_error(
    run_with: Callable, from_s: float, after_s: float, ends_s: float
) -> None:
    defect = ZeroDivisionError("a defect")
    with pytest.raises(ZeroDivisionError) as raised:
        await run_with(Broken(error=defect, from_s=from_s, after_s=after_s))
    assert raised.value is defect
    assert asyncio.get_running_loop().time() == pytest.approx(ends_s, abs=0.2)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_request_that_is_cancelled_from_within_is_no_defect(run_with: Callable) -> None:
    history = await run_with(Broken(error=asyncio.CancelledError(), from_s=1.0))
    assert history is not None


async def test_a_fault_that_the_layer_can_never_have_is_told_before_any_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(self: MemorySite, wanted: Toxic) -> None:
        raise EnvironmentFault(f"no toxic {wanted.type} here")

    monkeypatch.setattr(MemorySite, "check", refuse)
    await refused_at_once(tmp_path, LinkLatency(), "no toxic latency here")


@pytest.mark.parametrize("fault", [GpuPowerLimit(), GpuClockLimit()], ids=lambda fault: fault.kind)
async def test_a_limit_of_a_gpu_that_is_not_there_is_told_before_any_request(
    tmp_path: Path, fault: Fault
) -> None:
    await refused_at_once(tmp_path, fault, "limit needs a GPU, and worker-. is simulated")


async def refused_at_once(tmp_path: Path, fault: Fault, line: str) -> None:
    scenario = replace(SCENARIOS["slow_link"], fault=fault, phases=PHASES)
    preset = SimpleNamespace(name="none", build=lambda _workers: Pipeline())
    deploy = partial(deploy_virtual, costs=SHIPPED["tiny_cpu"])
    with pytest.raises(EnvironmentFault, match=line):
        await run(scenario, preset, 1, deploy, tmp_path / "history.jsonl", NoProgress())
    assert asyncio.get_running_loop().time() == 0.0
