"""Several steps of one batch that nothing is going to change, foreseen so that they need one timer.

Who asks what has come so far is told (`Worker.catch_up`), and whatever could change the batch ends the
stride: the history is the same to the byte as with one timer a step.
"""

from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass

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
    if not all(sequence.tokens for sequence in batch):
        return None  # a first token is news, and never late
    steps = min(sequence.max_tokens - len(sequence.tokens) for sequence in batch)
    if steps < 2:
        return None
    stride = Stride(now, foresee(batch, steps), [])
    steady_s = pace.steady_until_s(now)
    at_s = now
    for computed_s in stride.computed_s:
        if stride.ends_s and at_s >= until_s:
            break
        at_s += pace.step_s(computed_s, now)
        if at_s >= steady_s:
            break
        stride.ends_s.append(at_s)
    return stride if len(stride.ends_s) > 1 else None
