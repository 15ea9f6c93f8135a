"""A neighbour that never rests, on the worker's CPU: the deed of a sidecar."""

import os
import time
from collections.abc import Mapping

from harness.serving.affinity import allow
from harness.serving.process_identity import runs

BURN_S = 0.005  # between two looks at the pipe


class CpuNeighbour:
    """Beside the process `pid`, pinned with it to `cpu`, and as nice as it is. `before`: CPUs of the worker.

    It gives the worker its CPUs back itself, so that they come back also when the main process is stopped.
    """

    def __init__(self, pid: int, started_s: float, cpu: int, before: frozenset[int]) -> None:
        self._pid = pid
        self._started_s = started_s
        self._cpu = cpu
        self._before = before
        self._pinned = False

    def take(self, wanted: object) -> None:
        """Anything: there is but one thing to do. Each time, since a hog that leaves unpins the worker."""
        if not runs(self._pid, self._started_s):
            raise ProcessLookupError(f"process {self._pid} is gone")
        if not self._pinned:
            os.sched_setaffinity(0, {self._cpu})
            os.nice(max(0, os.getpriority(os.PRIO_PROCESS, self._pid) - os.nice(0)))
            self._pinned = True
        if not allow(self._pid, {self._cpu}):
            raise OSError(f"process {self._pid} does not stay on CPU {self._cpu}")

    def go_on(self) -> float:
        if self._pinned:
            end_s = time.monotonic() + BURN_S
            while time.monotonic() < end_s:
                pass
        return 0.0

    def seen(self) -> Mapping[str, float]:
        return {"neighbours": 1.0, "neighbour_megabytes": 0.0}

    def undo(self) -> None:
        if self._pinned and runs(self._pid, self._started_s):
            allow(self._pid, self._before)
