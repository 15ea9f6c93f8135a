import pytest

from harness.gating.problem import Problem
from harness.gating.yaml_text import DEEPEST, line_of, read_yaml

TOO_DEEP = Problem(1, "this is nested more than 8 deep. Nothing here is: see docs/gate.md")


def value(text: str) -> object:
    document = read_yaml(text)
    assert document.problems == []
    return document.value


def problems(text: str) -> list[Problem]:
    return read_yaml(text).problems


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("y", "y"),
        ("true", True), ("False", False),
        ("1e3", 1000.0), ("1E-3", 0.001), (".5", 0.5), ("5.", 5.0), ("-1.5", -1.5), ("+3", 3),
        ("007", 7), ("1_000", "1_000"), ("12:30", "12:30"), ("0x1F", "0x1F"), ("2001-01-01", "2001-01-01"),
        ("1.2.3", "1.2.3"), ("2 s", "2 s"), ("2%", "2%"), ("'1e3'", "1e3"), ('"no"', "no"), ("'~'", "~"),
        (".inf", float("inf")), ("-.inf", float("-inf")), ("9e999", float("inf")),
        ("9" * 5000, float("inf")), ("|\n  a\n  b\n", "a\nb\n"), (">\n  a\n  b\n", "a b\n"),
        ("timeout() | retry()", "timeout() | retry()"), (r'"\ud83d\ude00\/"', "😀/"),
    ],
)  # fmt: skip
def test_a_value_is_what_yaml_1_2_says_it_is(text: str, meant: object) -> None:
    found = value(f"a: {text}")
    assert found == {"a": meant}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(meant)


def test_every_key_and_item_has_its_line_whatever_ends_the_lines() -> None:
    for end in ("\n", "\r\n", "\r"):
        text = end.join(["# a gate", "a:", "  - b: 1", "    c: [2,", "      3]", "d: |", "  x", "e: 4"])
        lines = read_yaml(text).lines
        assert lines["a",] == 2
        assert lines["a", 0] == lines["a", 0, "b"] == 3
        assert lines["a", 0, "c", 0] == 4
        assert lines["a", 0, "c", 1] == 5
        assert lines["e",] == 8


def test_of_what_is_not_there_the_line_around_it_counts() -> None:
    lines = read_yaml("a: 1\nb:\n  - c: 2\n").lines
    assert line_of(lines, "b", 0, "d", "e") == 3
    assert line_of(lines, "b", 7) == 2
    assert line_of(lines, "x") == 1
    assert line_of({}, "x") == 1


def test_json_is_read_with_tabs_as_well() -> None:
    assert value('{\n\t"a": [1, 2.5, true, "x"],\n\t"b": {}\n}') == {"a": [1, 2.5, True, "x"], "b": {}}


def test_a_key_that_is_there_twice_is_told_and_the_rest_is_read() -> None:
    document = read_yaml("a: 1\nb: {c: 1, c: 2}\na: {x: 3}\nd: 4\n")
    assert document.value == {"a": 1, "b": {"c": 1}, "d": 4}
    assert document.problems == [
        Problem(2, "key 'c' is there twice, also in line 2. Remove one"),
        Problem(3, "key 'a' is there twice, also in line 1. Remove one"),
    ]
    assert document.lines["a",] == 1
    assert ("a", "x") not in document.lines


@pytest.mark.parametrize("nothing", ["", "~", "null", "NULL", "# nothing"])
def test_a_value_that_is_empty_is_told_and_left_out(nothing: str) -> None:
    document = read_yaml(f"a: {nothing}\nb:\n  -\n  - 1\n")
    assert document.value == {"b": [None, 1]}
    assert document.problems == [
        Problem(1, "'a' has no value. Write one behind the colon"),
        Problem(3, "an item of the list is empty. Give it a value or remove it"),
    ]


def test_nothing_at_all_is_no_value_and_no_problem() -> None:
    for text in ("", "\n\n", "# only\n# comments\n", "---\n"):
        assert value(text) is None


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: &x 2", 2, "anchors are not read. Remove &x"),
        ("a: [1]\nb: *x", 2, "*x stands for something written elsewhere. Write it out here"),
        ("a: &x [1, 1]\nb: &y [*x, *x]\nc: &z [*y, *y]", 1, "anchors are not read"),
        ("a: 1\n<<: {b: 2}", 2, "<< takes keys from elsewhere"),
        ("a: !!str 1", 1, "tags are not read. Remove 'tag:yaml.org,2002:str'"),
        ("a: !x {b: 1}", 1, "tags are not read"),
        ("!!map {b: 1}", 1, "tags are not read"),
        ("&k a: 1", 1, "anchors are not read"),
        ("a: 1\n---\nb: 2", 2, "a second document begins here"),
        ("a: 1\n...\n---\n", 3, "a second document begins here"),
        ("%YAML 1.1\n---\na: no", 1, "this is read as YAML 1.2. Remove the line %YAML"),
        ("a:\n\t- 1", 2, "a tab stands where spaces belong. Indent with spaces"),
        ("a: @b", 1, "a value cannot begin with @. Put it in quotes"),
        ("a: `b`", 1, "a value cannot begin with `. Put it in quotes"),
        ("a: 1\nb: c: d", 2, "a second colon is on this line"),
        ("a: 1\n b: 2", 2, "a second colon is on this line, or its indentation does not match"),
        ("a: - 1", 1, "a list begins within a line"),
        ("a: 1\nb: 'x", 2, "a quote is opened and never closed"),
        ("a: {b: 1", 1, "a bracket is not closed, or a comma is missing"),
        ("a: 1\n- b", 2, "the indentation does not match the lines above"),
        ('a: "\\d"', 1, "a backslash in double quotes begins an escape"),
        ('a: 1\nb: "\\U00110000"', 2, "a character here is none that a text may have"),
        ('a: 1\nb: "\\ud83d"', 2, "this text has half a character in it"),
        ('a: 1\nb: "\\e[31m"', 2, "an escape stands for U+001B, which cannot be seen"),
        ('a: 1\n"\\0": 1', 2, "an escape stands for U+0000, which cannot be seen"),
        ("? [a]\n: b", 1, "a key is a list or a mapping"),
        ("a: >-x", 1, "this is no YAML"),
    ],
)
def test_what_may_mean_something_else_than_it_shows_is_refused(text: str, line: int, words: str) -> None:
    (found,) = problems(text)
    assert found.line == line
    assert found.words.startswith(words)
    assert "\n" not in found.words


@pytest.mark.parametrize("nest", ["[", "{a: ", "- "])
def test_a_deep_nest_is_refused_before_it_is_built(nest: str) -> None:
    assert problems(nest * 10_000) == [TOO_DEEP]


def test_a_deep_nest_of_lines_is_refused_in_the_line_where_it_is_too_deep() -> None:
    (found,) = problems("".join(f"{' ' * depth}a:\n" for depth in range(400)))
    assert found == Problem(DEEPEST + 2, TOO_DEEP.words)  # where the value of the last key begins


def test_as_deep_as_may_be_is_read_and_one_more_is_not() -> None:
    assert value("[" * DEEPEST + "1" + "]" * DEEPEST)
    (found,) = problems("[" * (DEEPEST + 1) + "1" + "]" * (DEEPEST + 1))
    assert found == TOO_DEEP
