"""The JSON Schema of a gate's file, for editors. `limplock gate` itself is stricter: it knows the metrics."""

from typing import Any

from harness.gating.structure import REQUIRED
from harness.gating.written import WrittenGate
from harness.judging.pairs.objective import BOUNDS


def schema() -> dict[str, Any]:
    """Draft 2020-12."""
    found = WrittenGate.model_json_schema()
    found["$defs"]["WrittenObjective"]["oneOf"] = [{"required": [bound]} for bound in BOUNDS]
    found["$defs"]["WrittenBaseline"]["oneOf"] = [{"required": ["policy"]}, {"required": ["result"]}]
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "limplock gate",
        "required": [*REQUIRED],
    }
    whole: dict[str, Any] = _plain(found)
    return about | whole


def _plain(part: Any) -> Any:
    """A key without a value is refused, so null is no choice and no default. Titles only repeat the names."""
    if isinstance(part, list):
        return [_plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    kept = {k: _plain(v) for k, v in part.items() if k != "title" and v is not None}
    choices = [each for each in kept.pop("anyOf", []) if each != {"type": "null"}]
    if len(choices) == 1:
        return choices[0] | kept
    return kept | ({"anyOf": choices} if choices else {})
