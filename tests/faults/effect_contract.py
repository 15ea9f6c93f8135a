"""What every fault must show: as much of its effect as was asked for, where it was asked for, while it is on.

One fault at one of two workers that have a small steady load. What the judge's own measure finds in the
samples is compared with what the fault was asked to do. The same on virtual and on real workers: that is what
makes the two the same fault.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count

from faults.effect import Effect
from faults.fault import Fault
from harness.deployment import Deployment
from harness.judging.effects import MEASURES
from harness.judging.history import FaultChanged, Finished, History, PhaseStarted, Setup
from harness.judging.windows import Timeline, timeline
from harness.load.callers import cancel_all
from harness.reporting.progress import NoProgress
from harness.sampling import sample_forever
from harness.scenario import Caller, Tier, Topology
from harness.serving.recorder import Recorder
from policies.call import Attempt
from policies.outcome import Kind, Outcome
from tests.faults.cases import CASES, NOT_VIRTUAL, TOLERANCE_RATIO

TOPOLOGY = Topology(services=(Tier(name="front", slots=8),), workers=2)
FAULTED, OTHER = TOPOLOGY.worker_names()
CALLER = Caller(name="steady", enters="front", rate_rps=10, max_tokens=6)
LEAVES_EVERY = 3  # of so many callers one leaves early, as after a timeout
LEAVES_AFTER_S = 0.1
WITHIN_RATIO = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Of the phases, in seconds. `settle_s`: from the healing until the backlog is gone."""

    warm_up_s: float
    baseline_s: float
    fault_s: float
    settle_s: float
    recovery_s: float


@dataclass(frozen=True, slots=True)
class Seen:
    """What the samples of one case show."""

    effect: Effect
    history: History
    timeline: Timeline

    def measured(self, worker: str = FAULTED) -> float | None:
        return MEASURES[self.effect.quantity](self.history, worker, self.timeline).measured

    def after(self) -> float | None:
        """The same measure, of the time when the fault had been taken away."""
        recovery = replace(self.timeline, fault=self.timeline.phases["recovery"])
        return MEASURES[self.effect.quantity](self.history, FAULTED, recovery).measured

    def untouched(self) -> float:
        """What is measured where there is no fault."""
        if self.effect.less:
            before = replace(self.timeline, fault=self.timeline.before())
            found = MEASURES[self.effect.quantity](self.history, FAULTED, before).measured
            assert found is not None
            return found
        return 1.0 if self.effect.unit == "x" else 0.0


class EffectContract:
    """Subclasses say where: `stand` is a deployment of TOPOLOGY; `lengths` fit its clock."""

    lengths: Lengths
    noise: float  # in the effect's unit, what a healthy worker may show of it

    async def check(self, stand: Deployment, fault: Fault) -> None:
        seen = await observe(stand, fault, self.lengths)
        late_ratio = self.late_ratio(seen)
        asked, untouched = seen.effect.asked, seen.untouched()
        within = (TOLERANCE_RATIO.get(fault.kind, WITHIN_RATIO) + late_ratio) * asked
        allowed = self.noise + (WITHIN_RATIO + late_ratio) * abs(asked - untouched)
        _is_near(f"{seen.effect.quantity} of {FAULTED}", seen.measured(), asked, within)
        _is_near(f"{seen.effect.quantity} of {OTHER}", seen.measured(OTHER), untouched, allowed)
        if fault.heals:
            _is_near(f"{seen.effect.quantity} after healing", seen.after(), untouched, allowed)

    def late_ratio(self, seen: Seen) -> float:
        """How much later than asked steps end here for reasons of the machine's own, as a share of a step."""
        return 0.0


def _is_near(what: str, measured: float | None, expected: float, within: float) -> None:
    assert measured is not None, f"{what}: no sample"
    assert abs(measured - expected) <= within, f"{what}: {measured:g}, not {expected:g} within {within:g}"


def cases() -> Iterator[tuple[str, Fault]]:
    """Every case of a worker in memory with its name, those that nothing heals last."""
    kinds = [kind for kind in CASES if kind not in NOT_VIRTUAL]
    named = [(f"{kind}-{n}", fault) for kind in kinds for n, fault in enumerate(CASES[kind])]
    yield from sorted(named, key=lambda case: not case[1].heals)


async def observe(stand: Deployment, fault: Fault, lengths: Lengths) -> Seen:
    """Have `fault` at FAULTED for a while, with time before and after it."""
    setup = Setup(
        scenario="effect", preset="none", seed=1, version="0", hops=[], workers=[FAULTED, OTHER], callers=[]
    )
    history = History([setup])
    recorder = Recorder(history)
    recorder.start()
    async with sample_forever(stand, recorder, [FAULTED, OTHER], NoProgress()), _load(stand, recorder):
        await asyncio.sleep(lengths.warm_up_s)
        _begin(recorder, "baseline")
        await asyncio.sleep(lengths.baseline_s)
        _begin(recorder, "fault")
        async with fault.install(stand.sites[FAULTED]):
            history.append(FaultChanged(at_s=recorder.now(), active=True))
            await asyncio.sleep(lengths.fault_s)
            history.append(FaultChanged(at_s=recorder.now(), active=False))
        await asyncio.sleep(lengths.settle_s)
        _begin(recorder, "recovery")
        await asyncio.sleep(lengths.recovery_s)
    history.append(Finished(at_s=recorder.now(), clean=True))
    return Seen(fault.effect(), history, timeline(history))


def _begin(recorder: Recorder, phase: str) -> None:
    recorder.history.append(PhaseStarted(at_s=recorder.now(), phase=phase))


@asynccontextmanager
async def _load(stand: Deployment, recorder: Recorder) -> AsyncIterator[None]:
    """Each worker gets requests at a steady rate, whatever becomes of them."""
    under_way: dict[asyncio.Task[None], None] = {}
    sending = [asyncio.create_task(_send_to(worker, stand, recorder, under_way)) for worker in stand.links]
    try:
        yield
    finally:
        await cancel_all(sending)
        await cancel_all(under_way)


async def _send_to(
    worker: str, stand: Deployment, recorder: Recorder, under_way: dict[asyncio.Task[None], None]
) -> None:
    for number in count():
        task = asyncio.create_task(_ask(f"{worker}-{number}", worker, stand, recorder, number))
        under_way[task] = None
        task.add_done_callback(under_way.pop)
        await asyncio.sleep(1 / CALLER.rate_rps)


async def _ask(name: str, worker: str, stand: Deployment, recorder: Recorder, number: int) -> None:
    clock = asyncio.get_running_loop().time
    call = stand.compose(CALLER, name, 1)
    attempt = Attempt(call=call, worker=worker, number=1, started_s=clock())
    patience_s = LEAVES_AFTER_S if number % LEAVES_EVERY == 0 else None
    try:
        async with asyncio.timeout(patience_s):
            outcome = await stand.links[worker].send(attempt)
    except TimeoutError:
        outcome = Outcome(kind=Kind.TIMEOUT, phase="attempt", cause="left early", by="test")
    recorder.attempt_ended(attempt, outcome, clock())
