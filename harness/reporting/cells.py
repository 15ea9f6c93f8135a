"""Table cells and the tables that hold them. Everything is `Text`, never markup: names are not ours."""

import re
from collections.abc import Callable, Iterable, Sequence

from rich.table import Table
from rich.text import Text

from harness.judging.plain_text import plain
from harness.judging.result import Trend, Verdict

_UNITS = frozenset({"s", "ms", "%"})
WORD = 9  # columns of the word that a fact opens with
COLOURS = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.INCONCLUSIVE: "yellow"}
SPAN = "before | during | after the fault"

Form = Callable[[float | None], str]


def mark(faulted: int) -> str:
    """What a star beside a worker means, where `faulted` workers are."""
    return {0: "", 1: "; * is the faulted worker"}.get(faulted, f"; * is one of {faulted} faulted workers")


def trend(values: Trend | None, form: Form, *, alarm: bool = False) -> Text:
    """`9.1 | 24 | 9.0`; in red where something was proved to have gone wrong."""
    if values is None:
        return Text("-")
    parts = [form(value) for value in (values.before, values.during, values.after)]
    return Text(_unit_once(parts), style="bold red" if alarm else "")


def _unit_once(parts: Sequence[str]) -> str:
    """`0.50 | 0.49 | 0.50 s` instead of the unit three times."""
    units = {part.lstrip("0123456789.,") for part in parts if part != "-"}
    unit = units.pop() if len(units) == 1 else ""
    bare = " | ".join(part.removesuffix(unit) for part in parts)
    return f"{bare} {unit}".rstrip() if unit in _UNITS else " | ".join(parts)


def verdict_line(verdict: Verdict, what: str, headline: str) -> Text:
    """The first line, which must be enough alone."""
    words = headline.removeprefix("inconclusive: ")  # the verdict says so already
    return Text.assemble(
        (f"{verdict}", f"bold {COLOURS[verdict]}"), f"  {plain(what)}: ", (plain(words), "bold")
    )


def broken(text: str, width: int) -> str:
    """A fault as text in lines of at most `width` where its words allow it: each parameter is a word."""
    lines = [""]
    for piece in re.findall(r"[^(,]+[(,]? ?|[(,] ?", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def facts(lines: Iterable[tuple[str, str]]) -> Table:
    """Lines that open with a word, the rest indented as one column."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(width=WORD, style="bold")
    table.add_column(overflow="fold")
    for word, rest in lines:
        table.add_row(Text(word), Text(rest))
    return table


def grid(columns: Sequence[tuple[str, int | None]], rows: Iterable[Sequence[Text]]) -> Table:
    """Columns as (heading, width); no width: as wide as needed. Two spaces between columns, no lines."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold", show_edge=False)
    for heading, width in columns:
        table.add_column(Text(heading), width=width, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
