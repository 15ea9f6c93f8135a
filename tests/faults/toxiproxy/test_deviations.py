"""The documentation says how our server differs from the original, all of it and nothing else."""

from pathlib import Path

from tests.faults.toxiproxy.deviations import DEVIATIONS

PAGE = Path(__file__).parents[3] / "docs" / "toxiproxy.md"


def test_the_page_has_the_list_that_the_servers_are_compared_by() -> None:
    text = PAGE.read_text(encoding="utf-8")
    section = text.split("\n## Deviations\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert rows[1:] == [
        f"| {each.name} | {each.original} | {each.ours} | {'yes' if each.restored else 'no'} |"
        for each in DEVIATIONS
    ]


def test_no_two_have_the_same_name() -> None:
    assert len({each.name for each in DEVIATIONS}) == len(DEVIATIONS)
