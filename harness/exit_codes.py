"""Every exit code of the `limplock` command, once. They are stable: gates and CI jobs rely on them."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the shell sees. Several at once: see `worst`."""

    PASS = 0
    FAIL = 1
    BAD_INPUT = 2  # the command line or a file is wrong; nothing was started
    INCONCLUSIVE = 3  # ran, but cannot decide (fault did not bite, generator late, too few samples)
    ENVIRONMENT = 4  # a port, a proxy, a model or a worker was not to be had
    ABORTED = 5  # a safety rail fired; rolled back and verified
    UNCLEAN = 6  # clean-up could not be verified; a fault may still be live
    BUG = 70  # our own fault
    HUNG_UP = 129  # SIGHUP, after clean-up: the terminal was closed
    INTERRUPTED = 130  # Ctrl-C, after clean-up
    TERMINATED = 143  # SIGTERM, after clean-up


_WORST_FIRST = (
    ExitCode.UNCLEAN,
    ExitCode.BUG,
    ExitCode.TERMINATED,
    ExitCode.INTERRUPTED,
    ExitCode.HUNG_UP,
    ExitCode.ABORTED,
    ExitCode.FAIL,
    ExitCode.ENVIRONMENT,
    ExitCode.INCONCLUSIVE,
    ExitCode.BAD_INPUT,
    ExitCode.PASS,
)


def worst(*codes: ExitCode) -> ExitCode:
    """The code that stands for several runs: FAIL outranks INCONCLUSIVE, a doubtful clean-up outranks all."""
    return min(codes, key=_WORST_FIRST.index, default=ExitCode.PASS)
