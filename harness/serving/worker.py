"""One worker: a bounded queue, the continuous batcher, and the loop that runs the engine step by step.

The engine computes off the event loop, so the worker answers `/health` and takes requests while it is slow.
A sequence whose caller left or whose deadline passed is taken out before the next step. A fault is asked in
all that it may change (`faults/hooks.py`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from faults.fault import WorkerFault
from harness.serving.door import Door
from harness.serving.engine import Engine, Sequence
from harness.serving.job import Job, read_job
from harness.serving.meter import Counts, Meter
from harness.serving.openai_api import Refusal
from harness.serving.pace import HEALTHY, Pace
from harness.serving.seats import Seats
from harness.serving.self_report import SelfReports
from harness.serving.stride import Foresee, Stride, Strides
from harness.serving.waiter import CallAt, Waiter
from policies.call import Call
from policies.outcome import OK, Kind, Outcome

# The new tokens of a batch, and the seconds that computing them took (or would take: it need not wait).
Compute = Callable[[list[Sequence]], Awaitable[tuple[list[int], float]]]
ReadJob = Callable[[Call, Engine], Job]


@dataclass(frozen=True, slots=True)
class Shown:
    """The load of a worker as it tells it: requests, and the share of the KV cache in use."""

    running: int
    waiting: int
    kv_usage_ratio: float


class Worker:
    """Serves calls with one engine. `run` is the step loop; `handle` may be awaited by many at once.

    `read`: makes the job of a call. `call_at`: sets the timers that end steps, the loop's own by default.
    `foresee`: an engine that knows how long steps will take is not asked
    for each. Such a worker says tokens between an answer's first and last when somebody asks (`catch_up`),
    and has no meter, since nobody is told of a step when it happens.
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
    ) -> None:
        if meter is not None and foresee is not None:
            raise ValueError("a worker with a meter takes every step by itself: leave out `foresee`")
        self.name = name
        self.engine = engine
        self.pace = Pace(step_floor_s, late_s, waiter=Waiter(call_at))
        self.seats = Seats(name, engine, max_queue, self.pace)
        self.batcher = self.seats.batcher
        self.counts = Counts()
        self.door = Door(name, self.pace, self.counts)
        self._clock: Callable[[], float] = _now  # of the loop that `run` is on, once it runs
        self._compute = compute
        self._strides = Strides(foresee)
        self._read = read
        self._metered = meter is not None
        self._meter = meter or Meter()
        self._jobs = self.seats.jobs
        self._waiter = Waiter(call_at)  # for work, or for the end of a stride
        self._broken: Outcome | None = None  # what to say once the step loop has ended
        self._step_since_s: float | None = None  # when the step began that is no stride's
        self.reports = SelfReports(self.pace)
        self.shown = self.reports.add(self._show)

    @property
    def kv_usage_ratio(self) -> float:
        """Share of the KV cache's token places that hold tokens."""
        self.advance()
        held = sum(len(s.prompt) + len(s.tokens) for s in self.batcher.running)
        return held / (self.engine.max_num_seqs * self.engine.max_model_len)

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
            return self._full()
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
        try:
            while True:
                batch = self._next_batch()
                if not batch:
                    await self._waiter.wait(self.seats.idle_until_s(self._clock()))
                elif stride := self._strides.plan(
                    batch, self._jobs, self.pace, self._clock(), self.seats.next_deadline_s
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
            if not job.done.done():
                job.done.set_result(outcome)

    def catch_up(self) -> None:
        """Say all that the steps so far have brought."""
        if self._strides.on:
            self.advance()
            for job in self._jobs.values():
                if job.kept_s:
                    job.hand_over()

    def advance(self) -> None:
        """Count what the steps so far have brought."""
        self._strides.advance(self._clock(), self.counts)

    def _full(self) -> Outcome:
        cause = f"{self.name} is full: {len(self.batcher.waiting)} requests wait"
        return Outcome(
            kind=Kind.OVERLOAD, phase="queue", cause=cause, by=self.name, status=503, retry_after_s=1.0
        )

    def _show(self, now: float) -> Shown:
        return Shown(self.seats.shown_running, len(self.batcher.waiting), self.kv_usage_ratio)

    def _next_batch(self) -> list[Sequence]:
        now = self._clock()
        batch = self.seats.next_batch(now)
        if self._metered:
            for job in [self._jobs[sequence] for sequence in batch]:
                if job.seated_s is None:
                    job.seated_s = now
                    self._meter.queued(now - job.arrived_s)
        return batch

    async def _walk(self, batch: list[Sequence], stride: Stride) -> None:
        """Take the steps of a stride; the one that something happens in is the last."""
        due = await self._waiter.wait(stride.ends_s[-1])
        self.advance()
        self._strides.leave()
        started_s, computed_s = stride.start_s(stride.given), stride.computed_s[stride.given]
        self._step_since_s = started_s
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
            self._fail(batch, f"the engine failed: {type(broken).__name__}: {broken}")
            return
        await self.pace.hold(started_s, elapsed_s, prefill=prefill)
        self._step_since_s = None
        self._end_step(batch, tokens, started_s, elapsed_s)

    def _end_step(
        self, batch: list[Sequence], tokens: list[int], started_s: float, computed_s: float
    ) -> None:
        now = self._clock()
        new = [sequence for sequence in batch if not sequence.tokens]
        self.counts.step(now - started_s, len(tokens), computed_s, len(new))
        if self._metered:
            self._meter.stepped(now - started_s, len(batch), sum(len(s.prompt) for s in new) + len(tokens))
        for sequence, token in zip(batch, tokens, strict=True):
            job = self._jobs.get(sequence)
            if job is None or job.done.done():
                if job is not None and job.left_s is not None:
                    self._go_on_for_nobody(job, token, started_s, now)
            elif self._strides.on and 0 < len(sequence.tokens) < sequence.max_tokens - 1:
                job.keep((token,), (now,))
            else:
                self._give(job, token, now)

    def _go_on_for_nobody(self, job: Job, token: int, started_s: float, now: float) -> None:
        """One more token of an answer whose caller left, which counts if the step began after that."""
        if started_s >= (job.left_s or 0.0):
            self.counts.kept_seconds += now - started_s
            self.counts.kept += not job.told_kept
            job.told_kept = True
        if job.take(token, now):
            self.seats.release(job)

    def _give(self, job: Job, token: int, now: float) -> None:
        """Hand a new token to its request and end the request if that was the last one."""
        job.hand_over()
        if self._metered:
            self._measure(job, now)
        if job.take(token, now):
            job.done.set_result(OK)
            self.seats.release(job)

    def _measure(self, job: Job, now: float) -> None:
        if job.last_token_s is None:
            self._meter.first_token(now - job.arrived_s)
        else:
            self._meter.token_gap(now - job.last_token_s)

    def _fail(self, batch: list[Sequence], cause: str) -> None:
        for job in [self._jobs[s] for s in batch if s in self._jobs]:
            if not job.done.done():
                job.hand_over()
                job.done.set_result(Outcome(kind=Kind.ERROR, cause=cause, by=self.name, status=500))
            self.seats.release(job)

    def _ended(self, job: Job) -> None:
        """The one who waited has the outcome, or has left before it."""
        if job.done.cancelled() or not job.done.done():
            self.catch_up()
            job.done.cancel()
            outcome = Outcome(kind=Kind.ABANDONED, cause="the caller left", by=self.name)
            self.counts.aborted += 1
            self.seats.leave(job, self._clock())
            self._waiter.wake()
        else:
            outcome = job.done.result()
        if self._metered:
            elapsed_s = self._clock() - job.arrived_s
            self._meter.ended(outcome, elapsed_s, len(job.sequence.prompt), len(job.sequence.tokens))


def _now() -> float:
    return asyncio.get_running_loop().time()
