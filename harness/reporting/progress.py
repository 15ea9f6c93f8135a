"""Progress of a run on standard error: a live table on a terminal, plain lines on a pipe."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console

from harness.judging.plain_text import plain
from harness.reporting.console import PipeConsole
from harness.reporting.views import LiveView, PlainView, View
from harness.reporting.watched import Watched


class Progress:
    """Tell it what happens; leaving the `with` block leaves the screen in order.

    Nothing it does can raise into the run: a closed pipe or a strange terminal must not cost a measurement,
    so after the first failure it draws no more.
    """

    def __init__(self, console: Console | None = None) -> None:
        """`console`: where to draw, standard error by default."""
        self._console = console or PipeConsole(stderr=True)
        self._run = Watched()
        self._view: View = LiveView(self._console) if may_redraw(self._console) else PlainView(self._console)

    def start(self, title: str, hops: Sequence[tuple[str, int | None]], phases: Mapping[str, float]) -> None:
        """A run begins. `hops`: name and slots. `phases`: name and start in seconds of the run."""
        self._run = Watched(title=plain(title), slots=dict(hops), starts=dict(phases))
        self._draw(lambda: self._view.started(self._run))

    def phase(self, name: str) -> None:
        self._run.enter(name, self._console.get_time())
        self._draw(lambda: self._view.phase(self._run, self._console.get_time()))

    def sample(self, place: str, values: Mapping[str, float]) -> None:
        """Newer values of a hop or worker, named as in the history's gauges."""
        self._run.values[place] = dict(values)
        self._draw(lambda: self._view.sampled(self._run, self._console.get_time()))

    def event(self, text: str) -> None:
        line = plain(text)
        self._run.events.append(line)
        self._draw(lambda: self._view.event(self._run, line, self._console.get_time()))

    def finish(self, text: str) -> None:
        """The run is over. `text` stays on the screen."""
        self._draw(lambda: self._view.finished(plain(text)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._draw(self._view.close)

    def _draw(self, draw: Callable[[], None]) -> None:
        try:
            draw()
        except Exception:  # whatever a terminal does, the run goes on
            broken, self._view = self._view, View()
            with suppress(Exception):
                broken.close()


class NoProgress(Progress):
    """Shows nothing: a run that takes less than a second, or one of many."""

    def _draw(self, draw: Callable[[], None]) -> None:
        pass


def may_redraw(console: Console) -> bool:
    """Not on a pipe, a dumb terminal, in CI, or where colour is unwanted: rewritten lines flood a log."""
    wanted = not (os.environ.get("CI") or os.environ.get("NO_COLOR"))
    return wanted and console.is_terminal and not console.is_dumb_terminal
