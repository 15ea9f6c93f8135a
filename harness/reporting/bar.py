"""A progress bar over many runs, on standard error: on a terminal only, a pipe gets no rewritten lines."""

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from harness.reporting.console import PipeConsole
from harness.reporting.progress import may_redraw

LONGEST = 40  # characters beside a bar: on 80 columns there must be room for it


def progress_bar() -> Progress:
    """Use `with`; it takes itself off the screen."""
    console = PipeConsole(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),  # a pipeline may have brackets
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not may_redraw(console),
    )
