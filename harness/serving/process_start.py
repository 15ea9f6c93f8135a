"""Starting a process of ours, whatever keeps it from being one."""

from multiprocessing.process import BaseProcess

from harness.errors import EnvironmentFault


def begin(process: BaseProcess) -> None:
    """Start it. EnvironmentFault if it cannot be, as when memory has run out.

    EOFError is what the forkserver leaves behind that is killed while it is asked: the system takes it for
    the process that is to go.
    """
    try:
        process.start()
    except (EOFError, OSError) as wrong:
        cause = getattr(wrong, "strerror", None) or "the process that forks ours has ended"
        raise EnvironmentFault(
            f"{process.name} could not be started: {cause}. See whether this machine is short of memory or"
            " processes"
        ) from wrong
