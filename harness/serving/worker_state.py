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
    )
