"""One worker: a bounded queue, the continuous batcher, and the loop that runs the engine step by step.

The engine computes off the event loop, so the worker answers `/health` and takes requests while it is slow.
A sequence whose caller left or whose deadline passed is taken out before the next step. A fault is asked in
all that it may change (`faults/hooks.py`).
"""

import asyncio
from collections.abc import Awaitable, Callable

from faults.fault import WorkerFault
from harness.serving.batcher import Batcher
from harness.serving.door import Door
from harness.serving.engine import Engine, Sequence
from harness.serving.job import Job, read_job
from harness.serving.meter import Meter
from harness.serving.metering import Metering
from harness.serving.openai_api import Refusal
from harness.serving.pace import HEALTHY, Pace
from harness.serving.seats import Seats, Shown
from harness.serving.self_report import SelfReports
from harness.serving.stride import Foresee, Stride, Strides
from harness.serving.waiter import CallAt, Waiter
from policies.call import Call
from policies.outcome import OK, Kind, Outcome

# The new tokens of a batch, and the seconds that computing them took (or would take: it need not wait).
Compute = Callable[[list[Sequence]], Awaitable[tuple[list[int], float]]]
ReadJob = Callable[[Call, Engine], Job]


class Worker:
    """Serves calls with one engine. `run` is the step loop; `handle` may be awaited by many at once.

    `read`: makes the job of a call. `call_at`: sets the timers that end steps, the loop's own by default.
    `foresee`: an engine that knows how long steps will take is not asked for each. Such a worker says tokens
    between an answer's first and last when somebody asks (`catch_up`), and has no meter, since nobody is told
    of a step when it happens. `told`: whether it hears that a caller has left.
    """

    def __init__(
        self,
        name: str,
        engine: Engine,
        compute: Compute,
        *,
        max_queue: int = 256,
        step_floor_s: float = 0.0,
        late_s: float = 0.0,
        call_at: CallAt | None = None,
        meter: Meter | None = None,
        read: ReadJob = read_job,
        foresee: Foresee | None = None,
        told: bool = True,
    ) -> None:
        if meter is not None and foresee is not None:
            raise ValueError("a worker with a meter takes every step by itself: leave out `foresee`")
        self.name = name
        self.engine = engine
        self.pace = Pace(step_floor_s, late_s, waiter=Waiter(call_at))
        self.seats = Seats(name, engine, max_queue, self.pace, told=told)
        self._metering = Metering(meter)
        self.counts = self._metering.counts
        self.door = Door(name, self.pace, self.counts)
        self._clock: Callable[[], float] = _now  # of the loop that `run` is on, once it runs
        self.since_s: float | None = None  # when `run` began
        self._compute = compute
        self._strides = Strides(foresee)
        self._read = read
        self._jobs = self.seats.jobs
        self._waiter = Waiter(call_at)  # for work, or for the end of a stride
        self._broken: Outcome | None = None  # what to say once the step loop has ended
        self._step_since_s: float | None = None  # when the step began that is no stride's
        self.reports = SelfReports(self.pace)
        self.shown = self.reports.add(self._show)

    @property
    def batcher(self) -> Batcher:
        """The queue and the slots."""
        return self.seats.batcher

    def busy_s(self, now: float) -> float:
        """Seconds spent in steps so far, with the one under way."""
        stride = self._strides.present
        since_s = self._step_since_s if stride is None else stride.start_s(stride.given)
        return self.counts.step_seconds + (0.0 if since_s is None else now - since_s)

    def inject(self, fault: WorkerFault, lease_s: float) -> None:
        """Install a fault, or renew its lease."""
        self.pace.inject(fault, lease_s, _now())
        self.reports.keep(_now())
        self.look_again()

    def heal(self) -> None:
        self.pace.heal()
        self.look_again()

    def look_again(self) -> None:
        """Something has changed of which steps that were foreseen, and whoever is held, know nothing."""
        self.door.news()
        self._waiter.wake()

    def take_single_steps(self) -> None:
        """Say each token when it is made, from now on."""
        self.catch_up()
        self._strides.on = False
        self._waiter.wake()

    def take_strides(self) -> None:
        """Undo `take_single_steps`."""
        self._strides.allow()

    async def handle(self, call: Call) -> Outcome:
        """Serve one call, or refuse it before any model work."""
        self.counts.arrived += 1
        if self.pace.fault is not HEALTHY and (refused := await self.door.enter()) is not None:
            return refused
        if self._broken is not None:
            return self._broken
        try:
            job = self._read(call, self.engine)
        except Refusal as refusal:
            return refusal.outcome(self.name)
        if not self.seats.offer(job):
            return self.seats.full()
        stride = self._strides.present
        if stride is None:
            self._waiter.wake()
        elif self.batcher.has_room or call.deadline_s < stride.ends_s[-1]:
            ends_s = self._strides.cut_short(self._clock())
            if ends_s is not None:
                self._waiter.move(ends_s)  # nobody need wake up before
        try:
            return await job.done
        finally:
            self._ended(job)

    async def run(self) -> None:
        """The step loop. Ends only by cancellation, or raises if it cannot go on."""
        self._clock = asyncio.get_running_loop().time
        self.since_s = self._clock()
        try:
            while True:
                now = self._clock()
                batch = self.seats.next_batch(now)
                self._metering.seated(batch, self._jobs, now)
                if not batch:
                    await self._waiter.wait(self.seats.idle_until_s(now))
                elif stride := self._strides.plan(
                    batch, self._jobs, self.pace, now, self.seats.next_deadline_s
                ):
                    await self._walk(batch, stride)
                else:
                    await self._step(batch)
        except Exception as broken:  # whatever it is, nobody may be left waiting for a loop that has ended
            cause = f"the step loop broke: {type(broken).__name__}: {broken}"
            self.end(Outcome(kind=Kind.ERROR, cause=cause, by=self.name, status=500))
            raise

    def end(self, outcome: Outcome) -> None:
        """Answer everybody with `outcome`, and whoever still comes.

        Slots are not released, since that may be what broke.
        """
        self.catch_up()
        self._strides.leave()  # the steps that were foreseen will not be
        self._broken = outcome
        self.door.close()
        for job in self._jobs.values():
            job.end(outcome)

    def catch_up(self) -> None:
        """Say all that the steps so far have brought."""
        if self._strides.on:
            self.advance()
            for job in self._jobs.values():
                job.hand_over()

    def advance(self) -> None:
        """Count what the steps so far have brought."""
        self._strides.advance(self._clock(), self.counts)

    def _show(self, now: float) -> Shown:
        self.advance()
        return self.seats.show()

    async def _walk(self, batch: list[Sequence], stride: Stride) -> None:
        """Take the steps of a stride; the one that something happens in is the last."""
        due = await self._waiter.wait(stride.ends_s[-1])
        self.advance()
        self._strides.leave()
        started_s = self._step_since_s = stride.start_s(stride.given)
        computed_s = stride.computed_s[stride.given]
        await self.pace.hold(started_s, computed_s, due=due)
        self._step_since_s = None
        self._end_step(batch, [0] * len(batch), started_s, computed_s)

    async def _step(self, batch: list[Sequence]) -> None:
        started_s = self._step_since_s = self._clock()
        prefill = any(not sequence.tokens for sequence in batch)
        try:
            tokens, elapsed_s = await self._compute(batch)
        except Exception as broken:  # whatever a model raises, nobody may be left waiting for it
            self._step_since_s = None
            cause = f"the engine failed: {type(broken).__name__}: {broken}"
            self.seats.fail(batch, Outcome(kind=Kind.ERROR, cause=cause, by=self.name, status=500))
            return
        await self.pace.hold(started_s, elapsed_s, prefill=prefill)
        self._step_since_s = None
        self._end_step(batch, tokens, started_s, elapsed_s)

    def _end_step(
        self, batch: list[Sequence], tokens: list[int], started_s: float, computed_s: float
    ) -> None:
        now = self._clock()
        self._metering.stepped(batch, now - started_s, computed_s)
        for sequence, token in zip(batch, tokens, strict=True):
            job = self._jobs.get(sequence)
            if job is None or job.done.done():
                if job is not None and job.left_s is not None:
                    self._metering.kept(job, started_s, now)
                    self._take(job, token, now)
            elif self._strides.on and 0 < len(sequence.tokens) < sequence.max_tokens - 1:
                job.keep((token,), (now,))
            else:
                self._give(job, token, now)

    def _give(self, job: Job, token: int, now: float) -> None:
        """Hand a new token to its request and end the request if that was the last one."""
        job.hand_over()
        self._metering.given(job, now)
        self._take(job, token, now)

    def _take(self, job: Job, token: int, now: float) -> None:
        if job.take(token, now):
            job.end(OK)
            self.seats.release(job)

    def _ended(self, job: Job) -> None:
        """The one who waited has the outcome, or has left before it."""
        if job.done.cancelled() or not job.done.done():
            self.catch_up()
            job.done.cancel()
            outcome = Outcome(kind=Kind.ABANDONED, cause="the caller left", by=self.name)
            self._metering.left(job)
            self.seats.leave(job, self._clock())
            self._waiter.wake()
        else:
            outcome = job.done.result()
        self._metering.ended(job, outcome, self._clock())


def _now() -> float:
    return asyncio.get_running_loop().time()
