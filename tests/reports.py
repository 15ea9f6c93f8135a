"""Public reports of defects, and the marks `# report <n>: <repository>#<number>` over the tests of them.

There are two lists, each with numbers of its own: one of policies, one of faults, proxies and clean-up.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

TESTS = Path(__file__).parent
MARK = re.compile(r"^\s*# report (\d+): (.+)$", re.MULTILINE)

Reports = Mapping[int, Sequence[str]]  # number to what its marks are to name
Place = tuple[str, Path, int]  # the words of a mark, its file, its line


def marks() -> dict[int, list[Place]]:
    """What is marked, by number."""
    found: dict[int, list[Place]] = {}
    for path in TESTS.rglob("*.py"):
        text = path.read_text()
        for mark in MARK.finditer(text):
            line = text.count("\n", 0, mark.end()) + 1
            found.setdefault(int(mark[1]), []).append((mark[2], path, line))
    return found


MARKS = marks()


def names(words: str, report: str) -> bool:
    """`toxiproxy#610` is named by `toxiproxy PR #610` and by `Shopify/toxiproxy#610`, not by `#6101`."""
    repository, _, number = report.partition("#")
    if not number:
        return report in words
    written = rf"\b{re.escape(repository)}(?: PR )?(?:#\d+,? (?:PR )?)*#{number}\b"
    return re.search(written, words) is not None


def missing(reports: Reports, number: int) -> list[str]:
    """What of a report no mark names."""
    words = [words for words, *_ in MARKS.get(number, ())]
    return [report for report in reports[number] if not any(names(each, report) for each in words)]


def unknown(*lists: Reports) -> list[tuple[int, Place]]:
    """Marks that name nothing of any list."""
    return [
        (number, place)
        for number, places in MARKS.items()
        for place in places
        if not any(names(place[0], report) for each in lists for report in each.get(number, ()))
    ]


def stands_over_a_test(path: Path, line: int) -> bool:
    """Within a test, or right over one, its decorators and further marks included.

    What a test file takes its cases from, another file, may have them as functions of any name.
    """
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("test") or not path.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first - 4 <= line <= (node.end_lineno or first):
                return True
    return False
