"""Values out of a model's JSON files: every number that is read from one passes through here."""

import json
from pathlib import Path
from typing import Any

from harness.errors import BadInput

LARGEST_COUNT = 2**31 - 1
LARGEST_NUMBER = 1e30  # float32, which the maths runs in, ends at 3e38


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file. Raises BadInput."""
    if path.exists() and not path.is_file():
        raise BadInput(f"{path} is not a file")
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path} is missing; expected a checkpoint folder of the Llama architecture") from None
    except (OSError, ValueError, RecursionError) as error:  # Recursion: nested too deeply
        raise BadInput(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(raw, dict):
        raise BadInput(f"{path} must hold an object, found {type(raw).__name__}")
    return raw


def count(value: object, name: str, path: Path, least: int = 1) -> int:
    """`value`, if it is a whole number from `least` to LARGEST_COUNT. Raises BadInput."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= LARGEST_COUNT:
        raise BadInput(
            f"{path}: {name} must be a whole number above {least - 1}, found {shown(value)}; "
            f"the most is {LARGEST_COUNT}"
        )
    return value


def number(value: object, name: str, path: Path) -> float:
    """`value`, if it is a finite number above 0. Raises BadInput."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= LARGEST_NUMBER:
        raise BadInput(
            f"{path}: {name} must be a number above 0 and at most {LARGEST_NUMBER:g}, found {shown(value)}"
        )
    return float(value)


def shown(value: object) -> str:
    """`value` as a message quotes it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
