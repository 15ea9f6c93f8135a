"""One judged run, or several side by side, for a terminal or a pipe. Pure functions of results.

The renderables adapt to the width they are given; without colour they are plain ASCII.
"""

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from harness.judging.result import RunResult
from harness.reporting.comparison import comparison
from harness.reporting.run_report import run_report


def render_run(result: RunResult) -> RenderableType:
    """Everything about one run. Its first line alone is enough."""
    return _ByWidth([result])


def render_comparison(results: Sequence[RunResult]) -> RenderableType:
    """Runs side by side, as many as fit; a single one is rendered whole."""
    return _ByWidth(results)


class _ByWidth:
    """Decides at rendering time, when the width is known."""

    def __init__(self, results: Sequence[RunResult]) -> None:
        self._results = results

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        if len(self._results) == 1:
            yield from run_report(self._results[0], options.max_width)
        else:
            yield from comparison(self._results, options.max_width)
