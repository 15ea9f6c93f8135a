from dataclasses import replace
from pathlib import Path

from tests.mutants.mutant import Mutant
from tests.mutants.record import (
    END,
    START,
    Found,
    digest,
    load,
    outdated,
    page,
    reason_key,
    reason_of,
    save,
    survivor,
    unexplained,
    write,
)
from tests.mutants.relevant import tests_of as relevant

ONE = survivor(Mutant(7, "a > b", "a >= b", "source"))


def found(**changes):
    return replace(Found("of", 4, ["t"], killed=["1", "2", "3"], survivors=[ONE]), **changes)


def test_what_was_found_is_read_again(tmp_path: Path):
    save(tmp_path / "r.json", {"x.py": found()})
    assert load(tmp_path / "r.json") == {"x.py": found()}
    assert load(tmp_path / "none.json") == {}


def test_a_page_has_shares_survivors_with_reasons_and_what_was_not_run():
    text = page({"x.py": found()}, {reason_key("x.py", ONE): "Both are the same."}, {"y.py"})
    assert "| x.py | 4 | 3 | 75% |" in text
    assert "- `x.py:7`: ``a > b`` became ``a >= b``. Both are the same." in text
    assert "`y.py`" in text
    assert "**no reason found yet**" in page({"x.py": found()}, {}, set())


def test_a_file_that_has_changed_since_it_was_tried_says_so(tmp_path: Path):
    (tmp_path / "same.py").write_text("a > b")
    (tmp_path / "other.py").write_text("a > b + 1")
    tried = {name: found(of=digest("a > b")) for name in ("same.py", "other.py", "gone.py")}
    assert outdated(tried, tmp_path) == {"other.py", "gone.py"}
    text = page(tried, {}, set(), {"other.py"})
    assert "| same.py | 4 |" in text
    assert "| other.py, changed since | 4 |" in text


def test_a_file_that_was_not_tried_to_its_end_says_so():
    assert "| x.py | 4 of 9 | 3 | 75% |" in page({"x.py": found(mutants=9)}, {}, set())
    assert not found(mutants=9).done


def test_a_survivor_without_a_reason_is_told():
    assert unexplained({"x.py": found()}, {}) == ["x.py: a > b -> a >= b"]
    assert unexplained({"x.py": found()}, {"x.py: a > b -> a >= b": "why"}) == []


def test_the_page_keeps_what_stands_outside_its_markers(tmp_path: Path):
    where = tmp_path / "page.md"
    where.write_text(f"before\n{START}\nold\n{END}\nafter\n")
    write(where, "new\n")
    assert where.read_text() == f"before\n{START}\nnew\n{END}\nafter\n"


def test_tests_that_mirror_a_file_come_first_then_those_beside_them_that_import_it():
    root = Path(__file__).parents[2]
    chosen = relevant(root, "harness/judging/pairs/signed_rank.py")
    assert chosen[0] == "tests/harness/judging/pairs/test_signed_rank.py"
    assert "tests/harness/judging/pairs/test_looks.py" in chosen
    assert all(name.startswith("tests/harness/judging/pairs/") for name in chosen)


def test_a_reason_may_be_for_many():
    key = "x.py: a[0] > b -> a[1] > b"
    assert unexplained({}, {}) == []
    assert reason_of(key, {"x.py: a[0] > b -> *": "many"}) == "many"
    assert reason_of(key, {"*a[1]": "anywhere"}) == "anywhere"
    assert reason_of(key, {"x.py: a[0]": "cut short", "y*": "another"}) == ""
