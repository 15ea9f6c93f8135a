"""Faults of the engine: its steps are slow, and hold their batch slots meanwhile."""

from faults.engine.added_per_step import AddedPerStep
from faults.engine.freeze import Freeze
from faults.engine.freeze_after_first_token import FreezeAfterFirstToken
from faults.engine.periodic_stall import PeriodicStall
from faults.engine.slow_decode import SlowDecode
from faults.engine.slow_prefill import SlowPrefill
from faults.engine.slow_steps import SlowSteps
from faults.engine.slow_unseen import SlowUnseen
from faults.fault import Fault

FAULTS: tuple[type[Fault], ...] = (
    SlowSteps,
    SlowUnseen,
    SlowPrefill,
    SlowDecode,
    AddedPerStep,
    PeriodicStall,
    Freeze,
    FreezeAfterFirstToken,
)
