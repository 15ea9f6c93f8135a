"""What goes to the screen is what was said: pipelines have brackets, and colons around words."""

import io

import pytest
from rich.table import Table

from harness.reporting import bar
from harness.reporting.console import PipeConsole
from harness.reporting.tally import tally
from harness.reporting.virtual_time import virtual_time

ODD = 'fallback(text="[/red] [bold]") | mine:m:fire:'


def test_a_line_and_a_cell_are_written_as_they_are() -> None:
    console = PipeConsole(file=io.StringIO(), width=80)
    console.print(ODD, highlight=False)
    table = Table(box=None)
    table.add_row(ODD)
    console.print(table)
    assert console.file.getvalue().count(ODD) == 2


def test_a_bar_has_a_pipeline_beside_it_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        bar, "PipeConsole", lambda **_: PipeConsole(file=screen, width=80, force_terminal=True)
    )
    monkeypatch.setattr(bar, "may_redraw", lambda _: True)
    with virtual_time('text="[/red]" mine:m:', 3.0):
        pass
    with tally(2) as told:
        told.advance('text="[/red]" mine:m:')
    assert screen.getvalue().count('text="[/red]" mine:m:') >= 2
