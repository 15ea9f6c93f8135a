import json
from typing import Any

from pydantic import BaseModel

from harness.gating.schema import schema
from harness.gating.structure import REQUIRED
from harness.gating.written import WrittenGate, WrittenGuard, WrittenObjective
from harness.judging.pairs.objective import BOUNDS


def test_the_schema_names_the_keys_that_are_read_and_no_others() -> None:
    found = schema()
    assert set(found["properties"]) == set(WrittenGate.model_fields)
    assert found["required"] == list(REQUIRED)
    for model in (WrittenObjective, WrittenGuard):
        part = found["$defs"][model.__name__]
        assert set(part["properties"]) == keys(model)
    assert found["$defs"]["WrittenObjective"]["oneOf"] == [{"required": [bound]} for bound in BOUNDS]


def test_every_part_refuses_unknown_keys_and_every_key_says_what_it_is() -> None:
    found = schema()
    for part in (found, *found["$defs"].values()):
        assert part["additionalProperties"] is False
        for name, key in part["properties"].items():
            referred = {"$ref", "items"} & key.keys()
            assert key.get("description") or referred, name


def test_a_key_without_a_value_is_no_choice_and_no_default() -> None:
    assert "null" not in json.dumps(schema())


def test_ranges_choices_and_amounts_are_in_it() -> None:
    found = schema()
    assert found["properties"]["engine"]["enum"] == ["torch", "virtual"]
    assert found["properties"]["workers"]["minimum"] == 1
    assert found["properties"]["version"] == {
        "default": 1, "minimum": 1, "maximum": 1, "type": "integer", "description": "of this format",
    }  # fmt: skip
    limit: dict[str, Any] = found["$defs"]["WrittenObjective"]["properties"]["max"]
    assert limit["type"] == ["number", "string"]
    assert found["properties"]["faults"]["items"]["type"] == "string"
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def keys(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}
