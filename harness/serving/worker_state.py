"""What a worker says of itself: gauges now, and counts since it started."""

import msgspec

from harness.serving.worker import Worker


class WorkerState(msgspec.Struct, frozen=True):
    """Body of GET /admin/state."""

    name: str
    running: int
    waiting: int
    steps: int
    step_seconds: float
    tokens: int
    aborted: int
    fault: str
    compute_seconds: float = 0.0  # of the steps, before floor and fault
    details: dict[str, float] = {}  # by the names of gauges: what shows faults, see `read_details`


def read_state(worker: Worker, now: float) -> WorkerState:
    """The state of `worker` at loop time `now`."""
    worker.advance()
    return WorkerState(
        name=worker.name,
        running=len(worker.batcher.running),
        waiting=len(worker.batcher.waiting),
        steps=worker.counts.steps,
        step_seconds=worker.counts.step_seconds,
        tokens=worker.counts.tokens,
        aborted=worker.counts.aborted,
        fault=worker.pace.active(now).kind,
        compute_seconds=worker.counts.compute_seconds,
        details=read_details(worker, now),
    )


def read_details(worker: Worker, now: float) -> dict[str, float]:
    """What a fault in the worker may change, beside what every sample has.

    Counts as in `Counts`; busy_seconds and stalled_seconds: in steps, and of these held by a fault, both with
    the step under way; left_waiting: callers left, and no step is over for them since; usable_slots: of the
    batch; report_age_s: of the oldest thing that it says of itself;
    age_seconds: since it serves.
    """
    counts = worker.counts
    return {
        "prefill_steps": float(counts.prefill_steps),
        "prefill_seconds": counts.prefill_seconds,
        "busy_seconds": worker.busy_s(now),
        "stalled_seconds": worker.pace.stalled_s(now),
        "first_tokens": float(counts.first_tokens),
        "arrived": float(counts.arrived),
        "failed": float(counts.failed),
        "unanswered": float(counts.unanswered),
        "left_early": float(counts.left_early),
        "kept": float(counts.kept),
        "kept_seconds": counts.kept_seconds,
        "left_waiting": float(worker.seats.left_waiting),
        "usable_slots": float(worker.batcher.usable_slots),
        "report_age_s": worker.reports.age_s(now),
        "age_seconds": 0.0 if worker.since_s is None else now - worker.since_s,
    }
