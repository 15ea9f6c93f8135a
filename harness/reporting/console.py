"""Output to a reader that may leave: `limplock run | head` ends with the run's own exit code."""

import os
from contextlib import suppress
from typing import Any

from rich.console import Console


class PipeConsole(Console):
    """Goes quiet when the reader has gone. rich itself would end the program with exit code 1.

    It writes what it is told as it is: brackets are no markup and `:m:` no emoji, since pipelines have both.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def on_broken_pipe(self) -> None:
        self.quiet = True
        with suppress(OSError):  # a file that is no pipe of the system's has nothing to redirect
            pipe = self.file.fileno()
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, pipe)  # so that the flush at exit does not fail either
            os.close(nowhere)


def say(console: Console, line: str) -> None:
    """A line as it is: not folded, not coloured, and brackets are brackets."""
    console.print(line, soft_wrap=True, highlight=False, markup=False)
