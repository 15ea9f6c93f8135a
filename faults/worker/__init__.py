"""Faults of a worker around its engine: what it takes in, which slots it has, what it says of itself."""

from faults.fault import Fault
from faults.worker.frozen_metrics import FrozenMetrics
from faults.worker.ignored_cancellation import IgnoredCancellation
from faults.worker.instant_error import InstantError
from faults.worker.leaked_slots import LeakedSlots
from faults.worker.shrunk_batch import ShrunkBatch
from faults.worker.slow_health import SlowHealth
from faults.worker.wedge import Wedge

FAULTS: tuple[type[Fault], ...] = (
    Wedge,
    InstantError,
    LeakedSlots,
    ShrunkBatch,
    IgnoredCancellation,
    FrozenMetrics,
    SlowHealth,
)
