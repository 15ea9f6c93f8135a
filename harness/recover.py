"""`limplock recover`: undoes what runs that were killed together with their janitor have left."""

from harness.exit_codes import ExitCode
from harness.interrupts import interruptible
from harness.reporting.console import PipeConsole, say
from harness.serving.leftovers import recover


def run_recover(forget: bool) -> ExitCode:
    """Says line by line what it did. PASS when nothing is left, UNCLEAN otherwise."""
    with interruptible():
        recovery = recover(forget=forget)
    console = PipeConsole()
    for line in recovery.lines:
        say(console, line)
    return ExitCode.PASS if recovery.clean else ExitCode.UNCLEAN
