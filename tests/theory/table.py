"""The table of theory as Markdown, written between two markers of a page."""

from collections.abc import Iterable
from pathlib import Path

from tests.theory.row import Row

BEGIN = "<!-- theory: begin -->"
END = "<!-- theory: end -->"
_HEADER = ("target", "source", "what", "expected", "got", "tolerance")


def markdown(rows: Iterable[Row]) -> str:
    lines = [_HEADER, ("---",) * len(_HEADER), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |" for cells in lines)


def write(page: Path, rows: Iterable[Row]) -> None:
    """Replace what is between the markers. ValueError if the page has none."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} needs the lines {BEGIN} and {END} to write between")
    page.write_text(f"{before}{BEGIN}\n{markdown(rows)}\n{END}{after}", encoding="utf-8")
