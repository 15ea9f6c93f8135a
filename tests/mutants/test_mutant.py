"""Which mistakes are made, and how they are told. Needs the extra `mutants`."""

import pytest

pytest.importorskip("cosmic_ray")
from tests.mutants.mutant import differing, mutants

SOURCE = """from dataclasses import dataclass
from functools import cache


@cache
def area(a: int | None, *, b: float = 2.0) -> float:
    if a is None:
        return b
    return a * b


@dataclass(frozen=True)
class It:
    most: int = 3
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_the_code_does_is_changed_one_thing_at_a_time():
    made = {(mutant.line, mutant.was, mutant.became) for mutant in mutants(SOURCE)}
    assert (9, "return a * b", "return a / b") in made
    assert (7, "if a is None:", "if a is not None:") in made
    assert (14, "most: int = 3", "most: int = 4") in made
    assert (5, "@cache", "def area(a: int | None, *, b: float = 2.0) -> float:") in made


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_neither_annotations_nor_stars_of_a_signature_are():
    for mutant in mutants(SOURCE):
        if mutant.line == 6:
            assert mutant.became.startswith("def area(a: int | None, *, b: float = ")
            assert mutant.became.endswith(") -> float:")
        assert not (mutant.line == 12 and "frozen=False" in mutant.became)


def test_what_is_the_same_is_no_mutant():
    with pytest.raises(ValueError, match="is the original"):
        differing(SOURCE, SOURCE)
