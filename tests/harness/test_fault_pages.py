"""The catalogue of faults in the documentation is the one that there is."""

import re
from pathlib import Path

import pytest

from faults.effect import Fidelity
from faults.notation import spell_number
from faults.registry import FAMILIES, FAULTS, parameter_defaults
from faults.shape import SHAPES
from harness.catalogue import shape_defaults

FOLDER = Path(__file__).parents[2] / "docs" / "faults"
PAGE = FOLDER / "README.md"


def table() -> str:
    """A row for each fault, in the order of the registry."""
    rows = ["| fault | what goes wrong | must show | class | page |", "|---|---|---|---|---|"]
    for family in FAMILIES:
        place = family.__name__.rpartition(".")[2]
        for fault in family.FAULTS:
            effect = fault().effect()
            values = (
                f"{name}={spell_number(value)}" for name, value in parameter_defaults(fault.kind).items()
            )
            text = f"`{fault.kind}({', '.join(values)})`"
            cells = [text, fault.meaning, effect.quantity, fault.fidelity.value[0], f"[{place}]({place}.md)"]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def test_the_catalogue_is_that_of_the_registry() -> None:
    found = re.search(r"^\| fault \|.*?(?=\n\n)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    assert found[0] == table()


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_told_with_its_parameters(name: str) -> None:
    values = shape_defaults(SHAPES[name])
    text = f"{name}({', '.join(f'{key}={spell_number(value)}' for key, value in values.items())})"
    assert f"`{text}`" in PAGE.read_text()


@pytest.mark.parametrize("fidelity", Fidelity)
def test_every_class_is_told(fidelity: Fidelity) -> None:
    words = " ".join(PAGE.read_text().split())
    assert fidelity.value.partition(": ")[2] in words


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_every_fault_is_on_the_page_of_its_family(family) -> None:
    page = (FOLDER / f"{family.__name__.rpartition('.')[2]}.md").read_text()
    assert [fault.kind for fault in family.FAULTS if f"`{fault.kind}" not in page] == []


def test_the_catalogue_has_every_fault() -> None:
    assert sum(len(family.FAULTS) for family in FAMILIES) == len(FAULTS)
