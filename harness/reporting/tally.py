"""How far many runs have come, on standard error: a bar on a terminal, a line for each tenth on a pipe."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress as Bar
from rich.progress import TaskID

from harness.judging.plain_text import plain
from harness.reporting.bar import LONGEST, progress_bar


class Tally:
    """Counts runs that are done; `total` may be lowered on the way."""

    def __init__(self, bar: Bar, task: TaskID, total: int, done: int) -> None:
        self._bar, self._task = bar, task
        self._total, self._done = total, done

    def advance(self, words: str) -> None:
        """One more is done; `words` say which."""
        self._done += 1
        self._bar.update(self._task, advance=1, description=plain(words, LONGEST))
        if self._bar.disable and self._done * 10 // self._total > (self._done - 1) * 10 // self._total:
            line = f"{self._done} of {self._total} runs"
            self._bar.console.print(line, highlight=False, markup=False, soft_wrap=True)

    def expect(self, total: int) -> None:
        self._total = total
        self._bar.update(self._task, total=total)


@contextmanager
def tally(total: int, done: int = 0) -> Iterator[Tally]:
    """It takes its bar off the screen at the end."""
    with progress_bar() as bar:
        task = bar.add_task("runs", total=total, completed=done)
        yield Tally(bar, task, total, done)
