"""What a worker's process shows of a fault."""

from harness.judging.effects.measure import Measuring

MEASURES: dict[str, Measuring] = {"down": _down}
