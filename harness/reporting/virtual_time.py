"""How far one virtual run has come, on standard error: a bar on a terminal, now and then a line on a pipe."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.progress import Progress as Bar

from harness.judging.plain_text import plain
from harness.reporting.bar import LONGEST, progress_bar
from harness.reporting.progress import NoProgress

QUIET_S = 10.0  # of real time between two lines on a pipe; most runs are over before the first


class VirtualTime(NoProgress):
    """Hears the samples of a run that takes `length_s` of virtual time."""

    def __init__(self, bar: Bar, title: str, length_s: float) -> None:
        super().__init__()
        self._bar, self._title, self._length_s = bar, plain(title), length_s
        self._task = bar.add_task(plain(title, LONGEST), total=round(length_s))
        self._said_s = bar.get_time()

    def sample(self, place: str, values: Mapping[str, float]) -> None:
        now = asyncio.get_running_loop().time()
        self._bar.update(self._task, completed=min(round(now), round(self._length_s)))
        if self._bar.disable and self._bar.get_time() - self._said_s > QUIET_S:
            self._said_s = self._bar.get_time()
            line = f"{self._title}: {now:.0f} of {self._length_s:.0f} virtual seconds"
            self._bar.console.print(line, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def virtual_time(title: str, length_s: float) -> Iterator[VirtualTime]:
    """It takes its bar off the screen at the end."""
    with progress_bar() as bar:
        yield VirtualTime(bar, title, length_s)
