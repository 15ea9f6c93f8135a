"""Rows judge themselves, and the table lands between its markers."""

from pathlib import Path

import pytest

from tests.theory.row import Target
from tests.theory.table import BEGIN, END, write

TARGET = Target("T99", "a source")


@pytest.mark.parametrize(("got", "ok"), [(98.0, True), (102.0, True), (97.9, False), (float("nan"), False)])
def test_a_row_is_off_outside_its_tolerance(got: float, ok: bool) -> None:
    assert TARGET.relative("x", 100.0, got, 0.02).ok is ok


def test_a_bound_on_one_side_does_not_mind_the_other() -> None:
    assert TARGET.at_most("x", 3.0, -100.0).ok
    assert not TARGET.at_most("x", 3.0, 3.1).ok
    assert TARGET.at_least("x", 3.0, 100.0).ok
    assert not TARGET.at_least("x", 3.0, 2.9).ok


def test_a_share_of_runs_is_off_where_its_interval_does_not_cover_the_source() -> None:
    row = TARGET.share("collapsed", 0.5, 3, 10)
    assert row.ok
    assert "0.11 to 0.60" in row.tolerance
    assert not TARGET.share("collapsed", 0.7, 3, 10).ok
    assert TARGET.share("collapsed", 0.0, 0, 4).ok
    assert not TARGET.share("collapsed", 0.0, 4, 4).ok


def test_a_finding_says_its_reason_and_fails_nothing() -> None:
    row = TARGET.finding("hedging", "there is no hedge")
    assert row.ok
    assert "there is no hedge" in str(row)
    assert "there is no hedge" in row.cells()


def test_a_row_that_is_off_stands_out_in_print_and_on_the_page() -> None:
    row = TARGET.absolute("x", 1.0, 2.0, 0.5)
    assert "OFF" in str(row)
    assert any("off" in cell for cell in row.cells())


def test_writing_twice_leaves_one_table_and_the_rest_of_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\n{END}\nafter\n")
    for got in (1.0, 2.0):
        write(page, [TARGET.absolute("a|b", 1.0, got, 5.0)])
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n| target |")
    assert text.endswith(f"|\n{END}\nafter\n")
    assert text.count("T99") == 1
    assert "| a/b | 1 | 2 |" in text


def test_a_page_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no table here\n")
    with pytest.raises(ValueError, match="needs the lines"):
        write(page, [])
    assert page.read_text() == "no table here\n"


def test_the_rows_of_other_targets_stay(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\n{END}\nafter\n")
    first, second = Target("T01", "a"), Target("T02", "b")
    write(page, [first.relative("x", 1.0, 1.0, 0.1), second.relative("y", 2.0, 2.0, 0.1)])
    write(page, [first.relative("x anew", 1.0, 1.0, 0.1)])
    text = page.read_text()
    assert "| x |" not in text
    assert text.index("x anew") < text.index("| y |")
