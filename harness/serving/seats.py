"""Who is inside a worker: the queue, the batch and their jobs, as the worker's fault has them."""

from dataclasses import dataclass

from faults.fault import WorkerFault
from harness.serving.batcher import Batcher
from harness.serving.engine import Engine, Sequence
from harness.serving.job import Job
from harness.serving.pace import HEALTHY, Pace
from harness.serving.waiter import NEVER
from policies.outcome import Kind, Outcome


@dataclass(frozen=True, slots=True)
class Shown:
    """The load as the worker tells it: requests, and the share of the KV cache's places that hold tokens."""

    running: int
    waiting: int
    kv_usage_ratio: float


class Seats:
    """Times are loop seconds. Slots are given back between steps, since a step uses them.

    `jobs`: by the sequence that batcher and engine know. `next_deadline_s`: of all that somebody waits for,
    or earlier. `told`: somebody tells it when a caller leaves.
    """

    def __init__(self, worker: str, engine: Engine, max_queue: int, pace: Pace, *, told: bool = True) -> None:
        self.batcher = Batcher(engine.max_num_seqs, max_queue)
        self.jobs: dict[Sequence, Job] = {}
        self.next_deadline_s = NEVER
        self._worker = worker
        self._engine = engine
        self._pace = pace
        self._told = told
        self._obeyed = HEALTHY  # the fault that the batch follows
        self._left: list[Job] = []  # their callers
        self._kept: list[Job] = []  # theirs too, but they are computed to the end

    @property
    def shown_running(self) -> int:
        """How many run, as the worker tells it."""
        slots, usable = self.batcher.max_num_seqs, self.batcher.usable_slots
        leaked = slots - usable if self._obeyed.shows_lost_slots else 0
        return min(slots, len(self.batcher.running) + leaked)

    @property
    def left_waiting(self) -> int:
        """How many are here whose callers have left and for whom no step is over since."""
        return sum(job.sequence in self.jobs and not job.told_kept for job in self._kept)

    def show(self) -> Shown:
        places = self.batcher.max_num_seqs * self._engine.max_model_len
        held = sum(len(s.prompt) + len(s.tokens) for s in self.batcher.running)
        return Shown(self.shown_running, len(self.batcher.waiting), held / places)

    def offer(self, job: Job) -> bool:
        """Take a job in, or say no: the queue is full."""
        if not self.batcher.offer(job.sequence):
            return False
        self.jobs[job.sequence] = job
        self.next_deadline_s = min(self.next_deadline_s, job.call.deadline_s)
        return True

    def full(self) -> Outcome:
        """The refusal of one more."""
        cause = f"{self._worker} is full: {len(self.batcher.waiting)} requests wait"
        return Outcome(
            kind=Kind.OVERLOAD, phase="queue", cause=cause, by=self._worker, status=503, retry_after_s=1.0
        )

    def leave(self, job: Job, now: float) -> None:
        """Its caller has gone."""
        if self._keeps(self._pace.active(now)):
            job.leave_behind(now)
            self._kept.append(job)
        else:
            self._left.append(job)

    def release(self, job: Job) -> None:
        """It has ended."""
        self.jobs.pop(job.sequence, None)
        slot = self.batcher.remove(job.sequence)
        if slot is not None:
            self._engine.release(slot)

    def fail(self, batch: list[Sequence], outcome: Outcome) -> None:
        """All of a batch end so."""
        for job in [self.jobs[sequence] for sequence in batch if sequence in self.jobs]:
            if not job.done.done():
                job.hand_over()
            job.end(outcome)
            self.release(job)

    def next_batch(self, now: float) -> list[Sequence]:
        """Who takes part in the step that begins now."""
        if (fault := self._pace.active(now)) is not self._obeyed:
            self._obeyed = fault
            self.batcher.usable_slots = fault.usable_slots(self.batcher.max_num_seqs)
        if self._kept and not self._keeps(fault):
            self._left += self._kept
            self._kept.clear()
        for job in self._left:
            self.release(job)
        self._left.clear()
        if self.next_deadline_s <= now:
            self._drop_late(now)
        batch = self.batcher.next_batch()
        return [each for each in batch if not each.tokens] if fault.only_first_tokens else batch

    def idle_until_s(self, now: float) -> float:
        """When to look again though nobody comes: a fault may hold jobs out of the batch, and end."""
        return min(self.next_deadline_s, self._pace.steady_until_s(now)) if self.jobs else NEVER

    def _keeps(self, fault: WorkerFault) -> bool:
        return fault.keeps_abandoned or not self._told

    def _drop_late(self, now: float) -> None:
        waited_for = [job for job in self.jobs.values() if not job.done.done()]
        for job in waited_for:
            if job.call.deadline_s <= now:
                cause = "deadline ran out"
                late = Outcome(kind=Kind.TIMEOUT, phase="total", cause=cause, by=self._worker, status=504)
                job.hand_over()
                job.end(late)
                self.release(job)
        left_s = (job.call.deadline_s for job in waited_for if not job.done.done())
        self.next_deadline_s = min(left_s, default=NEVER)
