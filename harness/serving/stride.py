"""Several steps of one batch that nothing is going to change, foreseen so that they need one timer.

Whatever could change the batch ends the stride, and who asks what has come so far is told
(`Worker.catch_up`): the history is the same to the byte as with one timer a step, given that a step ends after
whatever else happens at that moment (`VirtualLoop.call_at_last`).
"""

from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from itertools import accumulate

from harness.serving.engine import Sequence
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


def plan_stride(
    batch: SequenceOf[Sequence], foresee: Foresee, pace: Pace, now: float, until_s: float
) -> Stride | None:
    """The steps from `now` to the first end of an answer; None unless it is worth while.

    No step but the first starts at `until_s` or later.
    """
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
