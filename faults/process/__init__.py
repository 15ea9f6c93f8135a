"""Faults of a worker's process and of what it shares its machine with."""

from faults.fault import Fault
from faults.process.killed import Killed

FAULTS: tuple[type[Fault], ...] = (Killed,)
