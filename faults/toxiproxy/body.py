"""Request bodies, read as leniently as the original reads them and no more."""

import ctypes
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from faults.toxiproxy.errors import Refused

Object = Mapping[str, Any]


def parse(raw: bytes) -> Any:
    """The first JSON value, keys in lower case; what follows it is ignored. Refused 400 without one."""
    text = raw.decode(errors="replace").lstrip(" \t\r\n")
    if not text:
        raise _bad("EOF")
    try:
        return _DECODER.raw_decode(_ESCAPE.sub(_whole_character, text))[0]
    except (ValueError, RecursionError) as error:
        raise _bad(str(error)) from None


def as_object(value: Any, what: str = "body") -> Object:
    """A JSON object; null is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _bad(f"{what}: expected an object, got {_kind(value)}")
    return value


def as_array(value: Any, what: str) -> list[Any]:
    """A JSON array; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise _bad(f"{what}: expected an array, got {_kind(value)}")
    return value


def only(body: Object, known: Sequence[str], what: str) -> None:
    """Refused 400 for a field that is not among `known`."""
    for key in body:
        if key not in known:
            raise _bad(f"{what}: unknown field {_kind(key)}; known are {', '.join(known) or 'none'}")


def text(body: Object, key: str, default: str = "") -> str:
    """A string; absent or null is `default`."""
    value = body.get(key)
    if value is None:
        return default
    if not isinstance(value, str):
        raise _bad(f"{key}: expected a string, got {_kind(value)}")
    return value


def flag(body: Object, key: str, default: bool) -> bool:
    """true or false; absent or null is `default`."""
    value = body.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise _bad(f"{key}: expected true or false, got {_kind(value)}")
    return value


def number(body: Object, key: str, default: float) -> float:
    """A finite number; absent or null is `default`."""
    value = body.get(key)
    if value is None:
        return default
    try:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    except OverflowError:  # a whole number with hundreds of digits
        pass
    raise _bad(f"{key}: expected a number, got {_kind(value)}")


def single(body: Object, key: str, default: float) -> float:
    """A number as the original keeps it: the shortest that has the same 32-bit float."""
    value = number(body, key, default)
    kept = _single(value)
    if math.isinf(kept):
        raise _bad(f"{key}: expected a number of 32 bits, got {value:g}")
    # 9 digits tell any two of them apart. Those of `value` itself need not: it may lie next to the middle.
    written = (float(f"{kept:.{digits}g}") for digits in range(1, 10))
    return next(each for each in written if _single(each) == kept)


def whole(body: Object, key: str, default: int) -> int:
    """A number written without point or exponent; absent or null is `default`."""
    value = body.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int):
        raise _bad(f"{key}: expected a whole number, got {_kind(value)}")
    return value


def _single(value: float) -> float:
    return ctypes.c_float(value).value


def _bad(why: str) -> Refused:
    return Refused(400, f"bad request body: {why}")


def _kind(value: Any) -> str:
    return "a number" if isinstance(value, float) else json.dumps(value)[:60]


def _lower_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key.lower(): value for key, value in pairs}


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _whole_character(escape: re.Match[str]) -> str:
    """Half a surrogate pair is no text, cannot be sent back, and becomes U+FFFD as in the original."""
    return "\\ufffd" if escape["half"] else escape[0]


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_DECODER = json.JSONDecoder(object_pairs_hook=_lower_keys, parse_constant=_no_constant)
