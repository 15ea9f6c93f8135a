"""File descriptors: every request that waits holds several open, and common limits are 256 and 1024.

A run of preset `none` with a slow worker keeps about 600 requests waiting: about 1,500 descriptors in the
main process, and about as many in the proxies.
"""

import resource

from harness.errors import EnvironmentFault

WANTED = 4096
LEAST = 2048


def allow_descriptors() -> None:
    """Raise this process's soft limit, which its children inherit, to `WANTED` or the hard limit.

    EnvironmentFault if even `LEAST` cannot be had.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    goal = reachable(soft, hard)
    if goal != soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (goal, hard))
        except (OSError, ValueError):
            goal = soft
    if _size(goal) < LEAST:
        raise EnvironmentFault(
            f"a run may hold {LEAST} files open, the limit here is {goal} (hard limit {_size(hard):g}). "
            f"Raise it: ulimit -n {WANTED}"
        )


def reachable(soft: int, hard: int) -> int:
    """The soft limit to set: never lower than it is, never above the hard one."""
    return soft if _size(soft) >= WANTED else int(min(WANTED, _size(hard)))


def _size(limit: int) -> float:
    return float("inf") if limit == resource.RLIM_INFINITY else limit
