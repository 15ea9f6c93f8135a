"""Faults of the engine: its steps are slow, and hold their batch slots meanwhile."""

from faults.engine.slow_steps import SlowSteps
from faults.fault import Fault

FAULTS: tuple[type[Fault], ...] = (SlowSteps,)
