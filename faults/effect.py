"""What a fault must show, so that a run can tell whether it bit; and how true to life it is."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Effect:
    """The quantity by which a judge sees the fault, and how much of it was asked for.

    Attributes:
        quantity: one that `harness/judging/effects.py` knows how to measure from a history.
        asked: in `unit`.
        unit: `x` for a factor, where 1 is no effect; else 0 is none.
        less: the smaller it is the worse, as of a rate; then no effect is what was measured before.
    """

    quantity: str
    asked: float
    unit: str
    less: bool = False


NOTHING = Effect("nothing", 0.0, "")


class Fidelity(Enum):
    """How near a fault is to a slow accelerator, best first. Every report prints it."""

    ENGINE = "A: the engine itself is slow and holds its slots"
    SIMULATED = "B: a simulated engine is told to be slow"
    PROCESS = "A: the worker's own process is gone, stopped, or short of what its machine has"
    SIMULATED_PROCESS = (
        "B: a simulated worker is told that its process is gone, stopped, or short of something"
    )
    BEHAVIOUR = "A: the worker itself misbehaves; its engine is as fast as ever"
    PROXY = "E: a proxy holds back what the worker has sent; its slots are free meanwhile"
