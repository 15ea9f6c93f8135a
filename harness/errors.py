"""The error tree: what a user can be told, and the exit code that goes with it.

A message says what was expected, what came, and what to do, in one line.
"""

from collections.abc import Iterable
from difflib import get_close_matches

from harness.exit_codes import ExitCode


class LimplockError(Exception):
    """Root of everything that is reported to the user as one line."""

    exit_code = ExitCode.BUG


class BadInput(LimplockError):
    """The command line or a file is wrong. Raised before anything is started."""

    exit_code = ExitCode.BAD_INPUT


class BadFile(BadInput):
    """Lines of `FILE:LINE: what`, as editors and CI read them: nothing may stand before the file."""


class EnvironmentFault(LimplockError):
    """The machine or a program we depend on is not as needed: port, proxy, model, worker."""

    exit_code = ExitCode.ENVIRONMENT


class Aborted(LimplockError):
    """A safety rail stopped the work. What was ours is seen to be gone."""

    exit_code = ExitCode.ABORTED


class CleanupUnverified(LimplockError):
    """A fault may still be live, or a process may still run."""

    exit_code = ExitCode.UNCLEAN


def unknown(kind: str, name: str, known: Iterable[str]) -> BadInput:
    """BadInput for a name that is not in `known`, with the closest one."""
    names = sorted(known)
    lower = {each.casefold(): each for each in names}
    closest = get_close_matches(name.casefold(), lower, n=1, cutoff=0.4)
    hint = f"Closest: {lower[closest[0]]}. " if closest else ""
    return BadInput(f"unknown {kind} '{name}'. {hint}All: {', '.join(names)}")
