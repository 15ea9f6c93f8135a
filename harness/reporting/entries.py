"""What `limplock list` shows: names on the left, what they mean beside them, wrapped to the width."""

from collections.abc import Mapping
from textwrap import wrap

from rich.table import Table
from rich.text import Text


def render_entries(entries: Mapping[str, str]) -> Table:
    """Each name begins a line, nothing else does: the lines that follow belong to it and are indented."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, meaning in entries.items():
        first, *rest = meaning.split("\n")
        words = Text(first)
        for line in rest:
            words.append(f"\n{line}", "dim")
        table.add_row(Text(name), words)
    return table


def render_families(families: Mapping[str, Mapping[str, str]], width: int) -> str:
    """Each heading once, below it its entries, each on a line of its own, and what they mean beneath."""
    blocks = []
    for heading, entries in families.items():
        lines = wrap(heading, width, subsequent_indent=" " * 8)
        for name, meaning in entries.items():
            lines += wrap(name, width, initial_indent="  ", subsequent_indent="    ")
            lines += wrap(meaning, width, initial_indent="    ", subsequent_indent="    ")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
