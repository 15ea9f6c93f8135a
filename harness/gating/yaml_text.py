"""Strict YAML 1.2: values and the line of each of them, and nothing that says something else than it shows.

`no` is text and `1e3` a number. Refused are a key that is there twice, a value that is empty, anchors and
aliases (what stands there is then not what is read), tags and further documents. JSON is YAML 1.2 as well.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from harness.gating.problem import Broken, Problem
from harness.gating.yaml_scalar import scalar, whole_characters
from harness.gating.yaml_words import in_our_words
from policies.arguments import shown

DEEPEST = 8
Place = tuple[str | int, ...]  # keys and numbers of items, from the outside to the value


@dataclass(slots=True)
class Document:
    """What stands in a file: dicts, lists, text, numbers, truth values; and the line of each key and item."""

    value: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def line_of(lines: Mapping[Place, int], *place: str | int) -> int:
    """Of the value there, or of the nearest one around it."""
    return next((lines[place[:end]] for end in range(len(place), -1, -1) if place[:end] in lines), 1)


def read_yaml(text: str) -> Document:
    """Its problems are in the document: what cannot be read at all ends with the only one of its kind."""
    document = Document()
    try:
        _Reading(text, document).whole()
    except Broken as broken:
        document.value = None
        document.problems.append(broken.problem)
    return document


class _Reading:
    """From the parser's events to values: nothing is built that was not looked at."""

    def __init__(self, text: str, document: Document) -> None:
        self._events = _events(text)
        self._document = document

    def whole(self) -> None:
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                _check_document(event, documents)
                self._document.value = self._value(next(self._events), ())

    def _value(self, event: Any, place: Place) -> object:
        line = _line(event)
        self._document.lines.setdefault(place, line if place else 1)
        _check_node(event, line, place)
        if isinstance(event, MappingStartEvent):
            return self._mapping(place)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(place)
        return scalar(event, line)

    def _sequence(self, place: Place) -> list[object]:
        items: list[object] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            value = self._value(event, (*place, len(items)))
            if value is None:
                self._problem(_line(event), "an item of the list is empty. Give it a value or remove it")
            items.append(value)
        return items

    def _mapping(self, place: Place) -> dict[str, object]:
        entries: dict[str, object] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key, line = _key(event), _line(event)
            inside: Place = (*place, key)
            first = self._document.lines.get(inside)
            if first is not None:
                inside = (*place, key, 0, "again")  # read, and forgotten
                self._problem(line, f"key {shown(key)} is there twice, also in line {first}. Remove one")
            self._document.lines[inside] = line
            value = self._value(next(self._events), inside)
            if value is None:
                self._problem(line, f"{shown(key)} has no value. Write one behind the colon")
            elif first is None:
                entries[key] = value
        return entries

    def _problem(self, line: int, words: str) -> None:
        self._document.problems.append(Problem(line, words))


def _events(text: str) -> Iterator[Event]:
    line = 1
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            line = _line(event)
            yield event
    except MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        raise Broken(mark.line + 1 if mark else 1, in_our_words(wrong)) from wrong
    except (YAMLError, ValueError, OverflowError) as wrong:
        raise Broken(line, "a character here is none that a text may have. Remove it") from wrong


def _check_document(event: DocumentStartEvent, number: int) -> None:
    if number > 1:
        raise Broken(_line(event), "a second document begins here. Put each into a file of its own")
    if event.version not in (None, (1, 2)):
        raise Broken(1, "this is read as YAML 1.2. Remove the line %YAML")


def _check_node(event: Any, line: int, place: Place) -> None:
    if isinstance(event, AliasEvent):
        raise Broken(line, f"*{event.anchor} stands for something written elsewhere. Write it out here")
    if event.anchor is not None:
        raise Broken(line, f"anchors are not read. Remove &{event.anchor}")
    if event.tag is not None:
        raise Broken(line, f"tags are not read. Remove {shown(str(event.tag))}")
    if len(place) > DEEPEST:
        raise Broken(line, f"this is nested more than {DEEPEST} deep. Nothing here is: see docs/gate.md")


def _key(event: Event) -> str:
    line = _line(event)
    _check_node(event, line, ())
    if not isinstance(event, ScalarEvent):
        raise Broken(line, "a key is a list or a mapping. Write one word, a colon and a space")
    if event.value == "<<" and event.style is None:
        raise Broken(line, "<< takes keys from elsewhere. Write them out here")
    return whole_characters(event.value, line)


def _line(event: Event) -> int:
    line: int = event.start_mark.line
    return line + 1
