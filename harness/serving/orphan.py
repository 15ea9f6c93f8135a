"""A child process that ends by itself when the main process is gone, however that came about."""

import multiprocessing
import os
import threading
from multiprocessing.connection import wait

ORPHANED = 1  # exit status; nobody is left to read it


def die_with_parent() -> None:
    """End this process as soon as the one that asked for it has ended, SIGKILL included.

    The pipe to the parent is closed by the kernel; a thread of ours waits for that. The forkserver, whose
    child this process is, ends the same way.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        raise RuntimeError("die_with_parent is for child processes; this process has no parent")
    threading.Thread(target=_watch, args=(parent.sentinel,), name="orphan-watch", daemon=True).start()


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os._exit(ORPHANED)
