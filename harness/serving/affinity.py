"""Which CPUs a process may run on, all of its threads."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress

from harness.errors import EnvironmentFault

LEAST = 2  # with one CPU a neighbour of one worker is a neighbour of all


def cpus_of(pid: int) -> frozenset[int]:
    """Of its main thread. EnvironmentFault where that cannot be asked, or is too few to pin to one."""
    if sys.platform != "linux":
        raise EnvironmentFault("pinning a worker to one CPU needs Linux. Use slow_steps")
    cpus = frozenset(os.sched_getaffinity(pid))
    if len(cpus) < LEAST:
        raise EnvironmentFault(
            f"process {pid} may run on {len(cpus)} CPU only: a neighbour there would slow everybody."
            f" Allow it {LEAST} or more, or use slow_steps"
        )
    return cpus


def allow(pid: int, cpus: Iterable[int]) -> bool:
    """Have it run there only, with threads that come meanwhile. Whether it is seen to; False if gone."""
    wanted = set(cpus)
    for _ in range(2):  # a thread that was made during the first round
        for thread in _threads(pid):
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.sched_setaffinity(thread, wanted)
    seen = []
    for thread in _threads(pid):
        with suppress(ProcessLookupError):
            seen.append(os.sched_getaffinity(thread) == wanted)
    return bool(seen) and all(seen)


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except FileNotFoundError:
        return []
