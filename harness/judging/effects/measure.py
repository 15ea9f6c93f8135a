"""What a judge sees of a fault at one worker."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.judging.history import History
from harness.judging.windows import Timeline


@dataclass(frozen=True, slots=True)
class Measure:
    """`measured` is None without a sample; then `words` may say what was seen instead.

    `chance`: how far the luck of so few samples may have moved it, two standard errors where luck is part of
    the fault, else 0.
    """

    measured: float | None
    words: str = ""
    chance: float = 0.0


Measuring = Callable[[History, str, Timeline], Measure]  # of the worker so named
