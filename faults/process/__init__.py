"""Faults of a worker's process and of what it shares its machine with."""

from faults.fault import Fault
from faults.process.cpu_hog import CpuHog
from faults.process.gpu_hog import GpuHog
from faults.process.gpu_limit import GpuClockLimit, GpuPowerLimit
from faults.process.killed import Killed
from faults.process.memory_pressure import MemoryPressure
from faults.process.restarted import Restarted
from faults.process.stopped import Stopped

FAULTS: tuple[type[Fault], ...] = (
    Stopped,
    CpuHog,
    MemoryPressure,
    Killed,
    Restarted,
    GpuHog,
    GpuPowerLimit,
    GpuClockLimit,
)
