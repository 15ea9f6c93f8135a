"""How much service there is, by pressure. Numbers in, numbers out."""

from dataclasses import dataclass
from enum import IntEnum

from policies.call_window import CallWindow
from policies.evidence import Answer

# A step is left below this share of the pressure that led to it, so that it holds a while.
EASED = 0.5


class Step(IntEnum):
    """Less service with each step."""

    FULL = 0
    CAPPED = 1
    REFUSING = 2


@dataclass(slots=True)
class Ladder:
    """The step that the calls of the last seconds lead to. Pressure: the share of them not answered well.

    With fewer than `min_calls` nothing is known and the step is FULL: what was refused is let in again.
    """

    window: CallWindow
    min_calls: int
    cap_above_ratio: float
    refuse_above_ratio: float
    step: Step = Step.FULL

    def count(self, answer: Answer, now: float) -> None:
        """A call ended now."""
        self.window.end(self.window.start(now), answer, now)

    def move(self, now: float) -> Step:
        """The step as of `now`."""
        self.window.move_to(now)
        self.step = next_step(self.step, self._pressure(), self.cap_above_ratio, self.refuse_above_ratio)
        return self.step

    def _pressure(self) -> float:
        judged = self.window.judged
        return 1 - self.window.accepted / judged if judged >= self.min_calls else 0.0


def next_step(step: Step, pressure: float, cap_above_ratio: float, refuse_above_ratio: float) -> Step:
    """A step is taken above its bound, and held until the pressure is below `EASED` of it."""
    if pressure > refuse_above_ratio or (step is Step.REFUSING and pressure > EASED * refuse_above_ratio):
        return Step.REFUSING
    if pressure > cap_above_ratio or (step is not Step.FULL and pressure > EASED * cap_above_ratio):
        return Step.CAPPED
    return Step.FULL
