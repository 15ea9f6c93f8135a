"""What is wrong with a key or its value, in words that say what to write."""

from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from harness.errors import unknown
from harness.gating.written import LONGEST_NAME, WrittenBaseline, WrittenPairs, WrittenPhases
from policies.arguments import shown

EXAMPLE = "See docs/gate.md"
A_LIST = "a list, [a, b] or a line '- a' each"
_PARTS: dict[str, type[BaseModel]] = {
    "baseline": WrittenBaseline,
    "pairs": WrittenPairs,
    "phases": WrittenPhases,
}
_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "list_type": A_LIST,
    "model_type": "key: value pairs",
    "model_attributes_type": "key: value pairs",
}


def in_words(model: type[BaseModel], error: ErrorDetails) -> str:
    name = ".".join(str(step) for step in error["loc"] if isinstance(step, str)) or "it"
    value, told = error["input"], error.get("ctx", {})
    match error["type"]:
        case _ if name == "version":
            return f"version {_said(value)} is unknown. This limplock reads version: 1"
        case "missing":
            return f"{name} is missing. {EXAMPLE}"
        case "extra_forbidden":
            return str(unknown("key", str(error["loc"][-1])[:LONGEST_NAME], _keys(model, error)))
        case "literal_error":
            return f"{name} is {_said(value)}. Write {told['expected'].replace(chr(39), '')}"
        case "value_error":
            return f"{name} {told['error']}"
        case "greater_than_equal":
            return f"{name} is {_said(value)}. Write {told['ge']} or more"
        case "less_than_equal":
            return f"{name} is {_said(value)}. Write {told['le']} or less"
        case "string_too_long" if name != "id":
            return f"{name} is longer than {told['max_length']} characters. {EXAMPLE}"
        case "string_too_short":
            return f"{name} is empty. {EXAMPLE}"
        case "too_long":
            return f"{name} has more than {told['max_length']}. Make two gates of it"
        case "string_pattern_mismatch" | "string_too_long":
            return f"{name} is {_said(value)}. Write at most {LONGEST_NAME} letters, digits, - and _"
        case "too_short":
            return f"{name} is empty. Add one, or leave the key out"
    return f"{name} takes {_KINDS.get(error['type'], 'something else')}, got {_said(value)}"


def _keys(model: type[BaseModel], error: ErrorDetails) -> list[str]:
    inside = _PARTS.get(str(error["loc"][0]), model) if len(error["loc"]) > 1 else model
    return [known.alias or name for name, known in inside.model_fields.items()]


def _said(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "key: value pairs"
        case list():
            return "a list"
        case bool():
            return str(value).lower()
    return shown(value) if isinstance(value, str) else shown(f"{value:g}")[1:-1]
