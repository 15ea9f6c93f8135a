"""From a document to its keys with the right kinds of values.

What is wrong is told and left out, so that the rest can be looked at in the same go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from harness.gating.problem import Problem
from harness.gating.structure_words import A_LIST, EXAMPLE, in_words
from harness.gating.written import (
    WrittenGate,
    WrittenGuard,
    WrittenObjective,
)
from harness.gating.yaml_text import Document, Place, line_of

REQUIRED = {
    "version": "version: 1",
    "policy": "policy: contain, or another preset, a pipeline or FILE.policy",
    "objectives": "objectives: and a list of what must hold",
}
MOST_ITEMS = 100  # of a list
_LISTS: dict[str, type[BaseModel]] = {"objectives": WrittenObjective, "guards": WrittenGuard}

Model = TypeVar("Model", bound=BaseModel)


@dataclass(slots=True)
class Structure:
    """Objectives and guards by their number in the file; those that are not right are missing."""

    gate: WrittenGate
    objectives: dict[int, WrittenObjective] = field(default_factory=dict)
    guards: dict[int, WrittenGuard] = field(default_factory=dict)


def read_structure(document: Document) -> Structure | None:
    """None for what is no gate at all. Problems are added to those of the document."""
    data = document.value
    if not isinstance(data, dict):
        if not document.problems:
            what = "the file is empty" if data is None else "this is not a gate's file"
            _problem(document, (), f"{what}. Write version: 1, policy and objectives. {EXAMPLE}")
        return None
    for name, example in REQUIRED.items():
        if (name,) not in document.lines:
            _problem(document, (), f"{name} is missing. Add {example}")
    plain = {name: value for name, value in data.items() if name not in _LISTS}
    gate = _validated(WrittenGate, plain, (), document)
    if gate is None:
        return None
    return Structure(
        gate,
        _each(WrittenObjective, data, "objectives", document),
        _each(WrittenGuard, data, "guards", document),
    )


def _each(model: type[Model], data: Mapping[str, object], name: str, document: Document) -> dict[int, Model]:
    items = data.get(name, [])
    if not isinstance(items, list):
        _problem(document, (name,), f"{name} takes {A_LIST}")
        return {}
    if len(items) > MOST_ITEMS:
        _problem(document, (name,), f"{name} has {len(items)}. Write at most {MOST_ITEMS}")
        return {}
    if name in data and not items:
        _problem(document, (name,), f"{name} is empty. Add one, or leave the key out where it may be")
    read = (
        (i, _validated(model, item, (name, i), document)) for i, item in enumerate(items) if item is not None
    )
    return {i: item for i, item in read if item is not None}


def _validated(model: type[Model], data: object, place: Place, document: Document) -> Model | None:
    """The model without the keys that are wrong. None if it cannot do without them."""
    try:
        return model.model_validate(data)
    except ValidationError as wrong:
        errors = wrong.errors(include_url=False)
    for error in errors:
        _tell(model, error, place, document)
    if not isinstance(data, dict):
        return None
    bad = {error["loc"][0] for error in errors if error["loc"]}
    try:
        return model.model_validate({key: value for key, value in data.items() if key not in bad})
    except ValidationError:
        return None


def _tell(model: type[BaseModel], error: ErrorDetails, place: Place, document: Document) -> None:
    inside = (*place, *error["loc"])
    if error["type"] == "missing" and inside in document.lines:
        return  # it has no value, which was told
    _problem(document, inside, in_words(model, error))


def _problem(document: Document, place: Place, words: str) -> None:
    document.problems.append(Problem(line_of(document.lines, *place), words))
