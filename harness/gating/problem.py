"""What is wrong with a file, each with its line: all of it is told at once, in the order of the lines."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from harness.errors import BadFile

MOST = 20  # told at once


@dataclass(frozen=True, slots=True)
class Problem:
    """`words` say what is wrong and what to do."""

    line: int
    words: str


class Broken(Exception):
    """The text cannot be read any further."""

    def __init__(self, line: int, words: str) -> None:
        super().__init__(words)
        self.problem = Problem(line, words)


def refuse(path: Path, problems: Iterable[Problem]) -> None:
    """BadFile with a line each, if there are any."""
    found = sorted(dict.fromkeys(problems), key=attrgetter("line"))
    if not found:
        return
    told = [f"{path}:{problem.line}: {_one_line(problem.words)}" for problem in found[:MOST]]
    if len(found) > MOST:
        told.append(f"{path}: and {len(found) - MOST} more. Mend these first")
    raise BadFile("\n".join(told))


def _one_line(words: str) -> str:
    """A text in quotes may have ends of lines in it."""
    return " ".join(words.split("\n"))
