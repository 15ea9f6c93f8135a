"""Which process a number means. The system gives numbers again; a number with its start is one process."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

SAME_S = 0.5  # off Linux the start is derived from the clock; on Linux it is exact
_START = 18  # of what follows the state in /proc/PID/stat: fields 2, 3 and 22 are name, state and start


def started_s(pid: int) -> float | None:
    """When the process began, None if it is gone (a zombie is). On Linux in seconds since boot.

    So setting the clock changes nothing, and it means something only together with `boot`.
    """
    try:
        if sys.platform != "linux":
            return _started_elsewhere_s(pid)
        # The name may hold anything, parentheses too, but is the last to have one.
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError, psutil.Error):
        return None
    return None if state in "ZXx" else int(rest[_START]) / os.sysconf("SC_CLK_TCK")


def runs(pid: int, start_s: float) -> bool:
    """Whether that process runs, or is stopped, and is no other of the same number."""
    now_s = started_s(pid)
    return now_s is not None and abs(now_s - start_s) < (0.001 if sys.platform == "linux" else SAME_S)


def is_stopped(pid: int) -> bool:
    """Whether it is held by SIGSTOP."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return False


def send(number: signal.Signals, pid: int, start_s: float) -> bool:
    """Signal that very process. False if it is gone; PermissionError if it may not be signalled."""
    with _held(pid) as handle:
        if not runs(pid, start_s):
            return False
        try:
            if handle is None:
                os.kill(pid, number)
            else:
                signal.pidfd_send_signal(handle, number)
        except ProcessLookupError:
            return False
    return True


def boot() -> str:
    """Which boot of the machine this is; empty where that does not matter."""
    if sys.platform != "linux":
        return ""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


@contextmanager
def _held(pid: int) -> Iterator[int | None]:
    """A handle on the process, whoever gets its number meanwhile; None where the system has none."""
    if not hasattr(os, "pidfd_open") or not hasattr(signal, "pidfd_send_signal"):
        yield None
        return
    try:
        handle = os.pidfd_open(pid)
    except OSError:  # gone, or a system that does not have it after all
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _started_elsewhere_s(pid: int) -> float | None:
    process = psutil.Process(pid)
    return None if process.status() == psutil.STATUS_ZOMBIE else float(process.create_time())
