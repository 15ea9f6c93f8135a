"""One run: a scenario under one preset with one seed, on a serving layer. Its history is the result."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from faults.fault import Fault
from harness.asking import Asker, plan_requests
from harness.deployment import Deploy, Deployment
from harness.errors import CleanupUnverified, EnvironmentFault
from harness.fault_text import sized
from harness.history_file import open_history
from harness.judging.history import (
    FaultChanged,
    Finished,
    History,
    PhaseStarted,
    name_together,
)
from harness.load.callers import cancel_all, send_open_loop
from harness.quiet_collector import quiet_collector
from harness.reporting.progress import Progress
from harness.run_setup import run_setup
from harness.sampling import sample_forever
from harness.scenario import Scenario
from harness.serving.recorder import Recorder
from policies.presets.preset import Preset

# Looks at what is recorded while a run runs, and raises where it must go no further.
Watch: TypeAlias = Callable[[Recorder], Coroutine[Any, Any, NoReturn]]


async def run(
    scenario: Scenario,
    preset: Preset,
    seed: int,
    deploy: Deploy,
    path: Path,
    progress: Progress,
    watch: Watch | None = None,
) -> History:
    """Run on what `deploy` stands up. The history goes to `path`; it says itself if the clean-up is in doubt.

    What `watch` raises ends the run, with the layer taken down in order, and is raised.
    CleanupUnverified if it could not and the run did not get to its end either.
    """
    pipeline = preset.build(scenario.topology.workers)
    written, scenario = scenario, sized(scenario, pipeline, preset.name)
    with open_history(path) as sink:
        history = History(sink=sink)
        recorder = Recorder(history)
        ran, left = False, ""
        try:
            async with deploy(scenario.topology, pipeline, recorder, seed) as deployment:
                history.append(run_setup(scenario, written.fault, preset, pipeline, seed, deployment))
                left = await _Experiment(scenario, seed, recorder, deployment, progress, watch).run()
                ran = True
        except CleanupUnverified as unclean:
            if not ran:
                raise
            left = f"{left}. {unclean}" if left else str(unclean)
        history.append(Finished(at_s=recorder.now(), clean=not left, note=left))
    return history


class _Experiment:
    """Load, fault and sampling on a layer that stands."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        recorder: Recorder,
        deployment: Deployment,
        progress: Progress,
        watch: Watch | None,
    ) -> None:
        self._scenario = scenario
        self._recorder = recorder
        self._deployment = deployment
        self._progress = progress
        self._watch = watch
        self._plan = plan_requests(scenario, seed)
        self._asker = Asker(scenario, seed, recorder, deployment.entries, deployment.compose)
        self._is_on = False
        self._left = ""

    async def run(self) -> str:
        """What may be left of the fault; empty if it was seen to be gone. The run goes on either way."""
        await self._check_fault()
        with quiet_collector():
            self._recorder.start()
            loop = asyncio.get_running_loop()
            zero_s, broken = loop.time(), loop.create_future()
            self._deployment.gateway.on_error = _into(broken)
            faulted = [] if self._scenario.fault is None else self._scenario.faulted_names()
            async with sample_forever(self._deployment, self._recorder, faulted, self._progress):
                await _all_of(
                    self._load(zero_s, broken),
                    self._phases(zero_s),
                    beside=(self._deployment.watch(), broken, *self._watches()),
                )
        return self._left

    def _watches(self) -> list[Coroutine[Any, Any, NoReturn]]:
        return [] if self._watch is None else [self._watch(self._recorder)]

    async def _check_fault(self) -> None:
        """EnvironmentFault, before any load, if the layer can never have this fault."""
        if self._scenario.fault is not None:
            for name in self._scenario.faulted_names():
                await self._scenario.fault.check(self._deployment.sites[name])

    async def _load(self, zero_s: float, broken: asyncio.Future[NoReturn]) -> None:
        """Send the plan, give what is still open a while, then count it as hung.

        `broken` gets the first error that asking raises: a defect of ours, which must not pass for an ending.
        """
        under_way = await send_open_loop(self._plan, self._asker.ask, zero_s, broken)
        try:
            await _sleep_until(zero_s + self._scenario.phases.load_s)
            if under_way:
                await asyncio.wait(under_way, timeout=self._scenario.phases.drain_s)
        finally:
            self._asker.hang_up()
            await cancel_all(under_way)

    async def _phases(self, zero_s: float) -> None:
        """Name the phases as their time comes, and hold the fault during its own."""
        async with AsyncExitStack() as fault:
            for phase, start_s in self._scenario.phases.starts().items():
                await _sleep_until(zero_s + start_s)
                if phase == "recovery":
                    await self._lift(fault)
                self._recorder.history.append(PhaseStarted(at_s=self._recorder.now(), phase=phase))
                self._progress.phase(phase)
                if phase == "fault" and self._scenario.fault is not None:
                    try:
                        await self._install(self._scenario.fault, fault)
                    except OSError as lost:
                        raise EnvironmentFault(str(lost)) from lost

    async def _install(self, fault: Fault, stack: AsyncExitStack) -> None:
        """At all of its workers. All follow the same shape: the last one speaks for them."""
        self._deployment.check_guarded()
        stack.push(self._lifted)
        *first, last = (self._deployment.sites[name] for name in self._scenario.faulted_names())
        for site in first:
            await stack.enter_async_context(fault.install(site))
        await stack.enter_async_context(fault.install(last, lambda level: self._changed(True, level)))

    async def _lift(self, stack: AsyncExitStack) -> None:
        """What the run has measured is not lost because its fault cannot be seen to be gone."""
        try:
            await stack.aclose()
        except CleanupUnverified as unclean:
            self._left = str(unclean)

    def _lifted(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """However the run ends, its history says of each fault whether it was seen to go."""
        if self._is_on:
            self._changed(False, 0.0, verified=not isinstance(error, CleanupUnverified))

    def _changed(self, active: bool, level: float = 1.0, *, verified: bool = True) -> None:
        fault = self._scenario.fault
        if fault is None:
            return
        self._is_on = active
        now = fault.at(level) if active else None
        changed = FaultChanged(
            at_s=self._recorder.now(),
            active=active,
            verified=verified,
            level=level,
            asked=now.effect().asked if now is not None else None,
        )
        self._recorder.history.append(changed)
        where = name_together(self._scenario.faulted_names())
        strength = "off" if not active else "on" if level == 1 else f"{level:.0%}"
        self._progress.event(f"{fault.kind} {strength}: {where}")


def _into(broken: asyncio.Future[NoReturn]) -> Callable[[Exception], None]:
    """Over HTTP a policy that raises would else be one more status 500."""

    def tell(error: Exception) -> None:
        if not broken.done():
            broken.set_exception(error)

    return tell


async def _sleep_until(loop_time_s: float) -> None:
    ahead_s = loop_time_s - asyncio.get_running_loop().time()
    if ahead_s > 0:
        await asyncio.sleep(ahead_s)


async def _all_of(*work: Coroutine[None, None, None], beside: Sequence[Awaitable[NoReturn]]) -> None:
    """Run side by side to the end of `work`. The first failure ends the others and is raised as it is."""
    tasks = [asyncio.create_task(each) for each in work]
    asides: list[asyncio.Future[Any]] = [asyncio.ensure_future(each) for each in beside]
    try:
        left: set[asyncio.Future[Any]] = set(tasks)
        while left:
            done, _ = await asyncio.wait((*left, *asides), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            left -= done
    finally:
        await cancel_all((*tasks, *asides))
