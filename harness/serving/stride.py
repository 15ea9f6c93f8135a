"""Several steps of one batch that nothing is going to change, foreseen so that they need one timer.

Whatever could change the batch ends the stride, and who asks what has come so far is told
(`Worker.catch_up`): the history is the same to the byte as with one timer a step. Where times meet that takes
a rule: a step ends after whatever else happens at that moment (`VirtualLoop.call_at_last`).
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from itertools import accumulate

from harness.serving.engine import Sequence
from harness.serving.job import Job
from harness.serving.meter import Counts
from harness.serving.pace import Pace

Foresee = Callable[[SequenceOf[Sequence], int], list[float]]


@dataclass(slots=True)
class Stride:
    """Loop seconds. `given`: how many of the steps have handed over their tokens."""

    started_s: float
    computed_s: list[float]  # of each step, before floor and fault
    ends_s: list[float]
    given: int = 0

    def over(self, now: float) -> int:
        """Steps that had ended before `now`."""
        return bisect_left(self.ends_s, now, self.given)

    def start_s(self, step: int) -> float:
        return self.ends_s[step - 1] if step else self.started_s


class Strides:
    """The steps that a worker is ahead by: at most one stride, and the jobs in it.

    `on`: whether the worker may be ahead. `foresee` None: it never is.
    """

    def __init__(self, foresee: Foresee | None) -> None:
        self._foresee = foresee
        self.on = foresee is not None
        self.present: Stride | None = None
        self._jobs: list[Job] = []

    def allow(self) -> None:
        self.on = self._foresee is not None

    def plan(
        self,
        batch: SequenceOf[Sequence],
        jobs: Mapping[Sequence, Job],
        pace: Pace,
        now: float,
        until_s: float,
    ) -> Stride | None:
        """The stride that begins now, if it is worth while. It is the present one until `leave`."""
        if self.on and self._foresee is not None:
            self.present = plan_stride(batch, self._foresee, pace, now, until_s)
            if self.present is not None:
                self._jobs = [jobs[sequence] for sequence in batch]
        return self.present

    def advance(self, now: float, counts: Counts) -> None:
        """Count what the steps of the present stride have brought so far, and keep it."""
        stride = self.present
        if stride is None or (over := stride.over(now)) == stride.given:
            return
        times_s, started_s = stride.ends_s[stride.given : over], stride.start_s(stride.given)
        for ended_s, computed_s in zip(times_s, stride.computed_s[stride.given : over], strict=True):
            counts.step(ended_s - started_s, len(self._jobs), computed_s)
            started_s = ended_s
        stride.given = over
        tokens = [0] * len(times_s)
        for job in self._jobs:
            job.keep(tokens, times_s)

    def cut_short(self, now: float) -> float | None:
        """Let the step in progress be the last one. When it ends; None if it is the last already."""
        stride = self.present
        if stride is None or (last := stride.over(now)) >= len(stride.ends_s) - 1:
            return None
        del stride.ends_s[last + 1 :]
        return stride.ends_s[last]

    def leave(self) -> None:
        self.present = None


def plan_stride(
    batch: SequenceOf[Sequence], foresee: Foresee, pace: Pace, now: float, until_s: float
) -> Stride | None:
    """The steps from `now` to the first end of an answer; None unless it is worth while.

    No step but the first starts at `until_s` or later.
    """
    if not pace.active(now).steady:
        return None
    steps = _steps(batch)
    if steps < 2:
        return None
    computed_s = foresee(batch, steps)
    ends_s = list(accumulate(pace.steps_s(computed_s, now), initial=now))[1:]
    steady = bisect_left(ends_s, pace.steady_until_s(now))  # steps that end before anything changes by itself
    in_time = bisect_left(ends_s, until_s) + 1  # steps that start before then
    usable = min(steady, in_time)
    return Stride(now, computed_s, ends_s[:usable]) if usable > 1 else None


def _steps(batch: SequenceOf[Sequence]) -> int:
    """Steps to the first end of an answer; 0 if a first token is to come, which is news and never late."""
    left = []
    for sequence in batch:
        if not sequence.tokens:
            return 0
        left.append(sequence.max_tokens - len(sequence.tokens))
    return min(left)
