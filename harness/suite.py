"""Real runs one after another: what `limplock run` and `limplock demo` share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from faults.fault import LinkFault
from faults.notation import spell
from harness.arms import Arm, in_arm
from harness.broken_policy import told_as_theirs
from harness.fault_text import sized, with_fault
from harness.interrupts import run_to_the_end
from harness.judging.history import History
from harness.judging.result import RunResult, Verdict
from harness.judging.verdict import judge
from harness.real_deployment import Options, deploy
from harness.reporting.progress import Progress
from harness.results import HISTORY, file_name, run_folder, write_result
from harness.runner import Watch, run
from harness.scenario import Scenario
from policies.presets.preset import Preset


@dataclass(frozen=True, slots=True)
class Planned:
    """One run to come."""

    scenario: Scenario
    preset: Preset
    arm: Arm = Arm.FAULT

    @property
    def expected(self) -> Verdict | None:
        """The verdict that the scenario states for this preset."""
        return self.scenario.expects.get(self.preset.name)

    @property
    def ordered(self) -> str:
        """The text of a fault in place of the scenario's own, else empty."""
        fault = self.scenario.fault
        return spell(fault) if fault is not None and self.scenario.fault_replaced else ""

    @property
    def title(self) -> str:
        """`slow_worker under none`."""
        other = f" with {self.ordered}" if self.ordered else ""
        other += f" ({self.arm})" if self.arm is not Arm.FAULT else ""
        return f"{self.scenario.name}{other} under {self.preset.name}"

    @property
    def toxics(self) -> tuple[str, ...]:
        """The kinds that the links must be able to have."""
        fault = sized(
            self.scenario, self.preset.build(self.scenario.topology.workers), self.preset.name
        ).fault
        return tuple(toxic.type for toxic in fault.toxics()) if isinstance(fault, LinkFault) else ()


def plan_runs(scenario: Scenario, presets: Sequence[Preset], faults: Sequence[str]) -> list[Planned]:
    """Every preset with every fault, or the scenario's own. BadInput for a fault that cannot be sized."""
    plan = [Planned(with_fault(scenario, fault), preset) for preset in presets for fault in faults or [""]]
    for planned in plan:
        sized(planned.scenario, planned.preset.build(scenario.topology.workers), planned.preset.name)
    return plan


def run_all(plan: Sequence[Planned], seed: int, options: Options, folder: Path) -> list[RunResult]:
    """Each run on a layer of its own, one after another. An interrupt keeps the files written so far."""
    return [
        _run_one(planned, seed, options, folder, f"{n}/{len(plan)} ") for n, planned in enumerate(plan, 1)
    ]


def _run_one(planned: Planned, seed: int, options: Options, folder: Path, number: str) -> RunResult:
    where = run_folder(folder, planned.scenario.name, planned.preset.name, planned.ordered)
    with Progress() as progress:
        result = judge(make_history(planned, seed, options, where, progress, number))
        progress.finish(result.headline)
    write_result(where, result)
    return result


def make_history(
    planned: Planned,
    seed: int,
    options: Options,
    where: Path,
    progress: Progress,
    number: str = "",
    watch: Watch | None = None,
) -> History:
    """Run, and leave the judging to others. Its history is in `where` too; `number` comes before the name."""
    scenario, preset = in_arm(planned.scenario, planned.arm), planned.preset
    hops = [(tier.name, tier.slots) for tier in scenario.topology.services]
    run_name = f"{options.run_name}-{file_name(preset.name)}"
    stand = partial(deploy, options=replace(options, run_name=run_name, toxics=planned.toxics))
    progress.start(f"{number}{planned.title}", hops, scenario.phases.starts())
    with told_as_theirs(preset.name, where):
        return run_to_the_end(run(scenario, preset, seed, stand, where / HISTORY, progress, watch))
