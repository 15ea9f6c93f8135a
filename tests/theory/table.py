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
    """Put rows between the markers; those of other targets stay. ValueError for a page without markers."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} needs the lines {BEGIN} and {END} to write between")
    head, rule, *new = markdown(rows).splitlines()
    fresh = {_target(line) for line in new}
    kept = [line for line in old.strip().splitlines()[2:] if _target(line) not in fresh]
    lines = sorted([*kept, *new], key=_target)  # stable: the rows of a target keep their order
    page.write_text("\n".join([f"{before}{BEGIN}", head, rule, *lines, f"{END}{after}"]), encoding="utf-8")


def _target(line: str) -> str:
    return line.split("|")[1].strip()
