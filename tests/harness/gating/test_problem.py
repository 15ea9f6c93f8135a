from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.gating.problem import MOST, Problem, refuse

PATH = Path("gate.yaml")


def refused(problems: list[Problem]) -> list[str]:
    with pytest.raises(BadInput) as caught:
        refuse(PATH, problems)
    return str(caught.value).split("\n")


def test_nothing_wrong_is_no_refusal() -> None:
    refuse(PATH, [])


def test_problems_are_told_in_the_order_of_their_lines_each_once_and_in_one_line() -> None:
    found = [Problem(10, "b"), Problem(9, "z\nmore"), Problem(10, "a"), Problem(9, "z\nmore")]
    assert refused(found) == ["gate.yaml:9: z more", "gate.yaml:10: b", "gate.yaml:10: a"]


def test_of_many_the_first_are_told_and_the_rest_counted() -> None:
    assert len(refused([Problem(line, "x") for line in range(MOST)])) == MOST
    many = refused([Problem(line, "x") for line in range(MOST + 3)])
    assert len(many) == MOST + 1
    assert many[-1] == "gate.yaml: and 3 more. Mend these first"
