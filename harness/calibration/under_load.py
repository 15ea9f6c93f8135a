"""The terms that only show under load, from a short real run and the same run virtual."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from harness.calibration.terms import hop_s, late_s, link_s
from harness.clock import VirtualLoop
from harness.config import find_preset, find_scenario
from harness.deployment import Deploy
from harness.errors import CleanupUnverified, LimplockError
from harness.exit_codes import ExitCode
from harness.interrupts import run_to_the_end
from harness.judging.history import Finished, History
from harness.judging.verdict import judge
from harness.real_deployment import Options, deploy
from harness.reporting.progress import NoProgress
from harness.runner import run
from harness.scenario import Phases, Scenario
from harness.serving.cost_model import Costs
from harness.serving.cost_sets import TINY_CPU
from harness.virtual_deployment import deploy_virtual

SEED = 1
PHASES = Phases(warm_up_s=2.0, baseline_s=12.0, fault_s=2.0, recovery_s=0.0, drain_s=3.0)
LOOK_S, BUSY_PERCENT = 1.0, 20.0  # before the run, when nothing of ours works
LATE_RATIO = 0.1  # of the floor; on an idle machine steps are half as late


class TooBusy(LimplockError):
    """What was measured is of other programs rather than of this machine."""

    exit_code = ExitCode.INCONCLUSIVE


def add_terms(costs: Costs, model: str, device: str) -> Costs:
    """`costs` with hop, link and lateness. Raises TooBusy, or EnvironmentFault.

    On a CPU the tiny model is served, whatever `costs` are of: its steps stay below their floor, and four
    workers of a larger one would fight for the cores.
    """
    served, known = ("tiny", TINY_CPU) if device == "cpu" and model != "tiny" else (model, costs)
    require_idle(psutil.cpu_percent(LOOK_S))
    real = _real_run(served, device)
    require_quiet(real)
    late, hop = late_s(real), hop_s(real)
    without = _virtual_run(replace(known, late_s=late, hop_s=hop, link_s=0.0))
    return replace(costs, late_s=late, hop_s=hop, link_s=link_s(real, without))


def require_idle(busy_percent: float) -> None:
    """Raise TooBusy if other programs take more of all cores: a run that fits beside them is still slowed."""
    if busy_percent > BUSY_PERCENT:
        raise _too_busy(f"other programs take {busy_percent:.0f} % of it, {BUSY_PERCENT:.0f} % are harmless")


def require_quiet(history: History) -> None:
    """Raise TooBusy unless all went as it must where nothing is wrong."""
    result = judge(history)
    if not result.clean:
        raise CleanupUnverified(history.of(Finished)[-1].note)
    wrong = [guard.words for guard in result.guards if not guard.ok and guard.voids == "any verdict"]
    floor_s = history.setup.step_floor_s
    if not wrong and (late := late_s(history)) > LATE_RATIO * floor_s:
        wrong = [
            f"steps ended {late * 1e3:.1f} ms late, up to {LATE_RATIO * floor_s * 1e3:.1f} ms are normal"
        ]
    if wrong:
        raise _too_busy(wrong[0])


def _too_busy(why: str) -> TooBusy:
    return TooBusy(
        f"the machine is too busy: {why}. Nothing is stored: close what keeps it so, then calibrate again"
    )


def healthy() -> Scenario:
    """The run, real and virtual."""
    return replace(find_scenario("healthy"), phases=PHASES)


def _real_run(model: str, device: str) -> History:
    kind = device.partition(":")[0]  # without its number, so that several GPUs are shared
    return run_to_the_end(_run(partial(deploy, options=Options(model=model, device=kind))))


def _virtual_run(costs: Costs) -> History:
    return run_to_the_end(_run(partial(deploy_virtual, costs=costs)), VirtualLoop)


async def _run(deployment: Deploy) -> History:
    with TemporaryDirectory(prefix="limplock-calibrate-") as folder:
        path = Path(folder) / "history.jsonl"
        return await run(healthy(), find_preset("none"), SEED, deployment, path, NoProgress())
