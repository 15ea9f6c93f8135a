"""One worker: a bounded queue, the continuous batcher, and the loop that runs the engine step by step.

The engine computes off the event loop, so the worker answers `/health` and takes requests while it is slow.
A sequence whose caller left or whose deadline passed is taken out before the next step.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from faults.fault import Fault
from harness.serving.batcher import Batcher
from harness.serving.engine import Engine, Sequence
from harness.serving.job import Job, read_job
from harness.serving.openai_api import Refusal
from harness.serving.pace import Pace
from policies.outcome import OK, Kind, Outcome
from policies.policy import Call

Compute = Callable[[list[Sequence]], Awaitable[list[int]]]


class Meter:
    """Hears what a worker measures. This one keeps nothing."""

    def stepped(self, seconds: float, batch: int, tokens: int) -> None: ...
    def queued(self, seconds: float) -> None: ...
    def first_token(self, seconds: float) -> None: ...
    def token_gap(self, seconds: float) -> None: ...
    def ended(self, outcome: Outcome, seconds: float, prompt_tokens: int, tokens: int) -> None: ...


@dataclass(slots=True)
class Counts:
    """What a worker has done since it started."""

    steps: int = 0
    step_seconds: float = 0.0
    tokens: int = 0
    aborted: int = 0


class Worker:
    """Serves calls with one engine. `run` is the step loop; `handle` may be awaited by many at once."""

    def __init__(
        self,
        name: str,
        engine: Engine,
        compute: Compute,
        *,
        max_queue: int = 256,
        step_floor_s: float = 0.0,
        meter: Meter | None = None,
    ) -> None:
        self.name = name
        self.engine = engine
        self.batcher = Batcher(engine.max_num_seqs, max_queue)
        self.pace = Pace(step_floor_s)
        self.counts = Counts()
        self._compute = compute
        self._meter = meter or Meter()
        self._jobs: dict[Sequence, Job] = {}
        self._left: list[Job] = []  # aborted while a step may be using their slot
        self._wake = asyncio.Event()
        self._broken: Outcome | None = None  # what to say once the step loop has ended

    @property
    def kv_usage_ratio(self) -> float:
        """Share of the KV cache's token places that hold tokens."""
        held = sum(len(s.prompt) + len(s.tokens) for s in self.batcher.running)
        return held / (self.engine.max_num_seqs * self.engine.max_model_len)

    def inject(self, fault: Fault, lease_s: float) -> None:
        self.pace.inject(fault, lease_s, _now())

    async def handle(self, call: Call) -> Outcome:
        """Serve one call, or refuse it before any model work."""
        if self._broken is not None:
            return self._broken
        try:
            job = read_job(call, self.engine)
        except Refusal as refusal:
            return refusal.outcome(self.name)
        if not self.batcher.offer(job.sequence):
            return self._full()
        self._jobs[job.sequence] = job
        self._wake.set()
        try:
            return await job.done
        finally:
            self._ended(job)

    async def run(self) -> None:
        """The step loop. Ends only by cancellation, or raises if it cannot go on."""
        try:
            while True:
                batch = self._next_batch()
                if batch:
                    await self._step(batch)
                else:
                    self._wake.clear()
                    await self._wake.wait()
        except Exception as broken:  # whatever it is, nobody may be left waiting for a loop that has ended
            self._broke(f"the step loop broke: {type(broken).__name__}: {broken}")
            raise

    def _full(self) -> Outcome:
        cause = f"{self.name} is full: {len(self.batcher.waiting)} requests wait"
        return Outcome(
            kind=Kind.OVERLOAD, phase="queue", cause=cause, by=self.name, status=503, retry_after_s=1.0
        )

    def _next_batch(self) -> list[Sequence]:
        now = _now()
        for job in self._left:
            self._release(job)
        self._left.clear()
        for job in [j for j in self._jobs.values() if j.call.deadline_s <= now and not j.done.done()]:
            late = Outcome(
                kind=Kind.TIMEOUT, phase="total", cause="deadline ran out", by=self.name, status=504
            )
            job.done.set_result(late)
            self._release(job)
        batch = self.batcher.next_batch()
        for sequence in batch:
            job = self._jobs[sequence]
            if job.seated_s is None:
                job.seated_s = now
                self._meter.queued(now - job.arrived_s)
        return batch

    async def _step(self, batch: list[Sequence]) -> None:
        started = _now()
        try:
            tokens = await self._compute(batch)
        except Exception as broken:  # whatever a model raises, nobody may be left waiting for it
            self._fail(batch, f"the engine failed: {type(broken).__name__}: {broken}")
            return
        await self.pace.hold(started, _now() - started)
        now = _now()
        self.counts.steps += 1
        self.counts.step_seconds += now - started
        self.counts.tokens += len(tokens)
        prefilled = sum(len(s.prompt) for s in batch if not s.tokens)
        self._meter.stepped(now - started, len(batch), prefilled + len(tokens))
        for sequence, token in zip(batch, tokens, strict=True):
            self._give(self._jobs.get(sequence), token, now)

    def _give(self, job: Job | None, token: int, now: float) -> None:
        """Hand a new token to its request and end the request if that was the last one."""
        if job is None or job.done.done():
            return
        if job.last_token_s is None:
            self._meter.first_token(now - job.arrived_s)
        else:
            self._meter.token_gap(now - job.last_token_s)
        if job.take(token, now):
            job.done.set_result(OK)
            self._release(job)

    def _broke(self, cause: str) -> None:
        """Answer everybody; slots are not released, since that may be what broke."""
        self._broken = Outcome(kind=Kind.ERROR, cause=cause, by=self.name, status=500)
        for job in self._jobs.values():
            if not job.done.done():
                job.done.set_result(self._broken)

    def _fail(self, batch: list[Sequence], cause: str) -> None:
        for job in [self._jobs[s] for s in batch if s in self._jobs]:
            if not job.done.done():
                job.done.set_result(Outcome(kind=Kind.ERROR, cause=cause, by=self.name, status=500))
            self._release(job)

    def _ended(self, job: Job) -> None:
        """The one who waited has the outcome, or has left before it."""
        now = _now()
        if job.done.cancelled() or not job.done.done():
            job.done.cancel()
            outcome = Outcome(kind=Kind.ABANDONED, cause="the caller left", by=self.name)
            self.counts.aborted += 1
            self._left.append(job)
            self._wake.set()
        else:
            outcome = job.done.result()
        self._meter.ended(outcome, now - job.arrived_s, len(job.sequence.prompt), len(job.sequence.tokens))

    def _release(self, job: Job) -> None:
        self._jobs.pop(job.sequence, None)
        slot = self.batcher.remove(job.sequence)
        if slot is not None:
            self.engine.release(slot)


def _now() -> float:
    return asyncio.get_running_loop().time()
