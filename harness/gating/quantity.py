"""Amounts as a file has them: `2 s`, `500 ms`, `2%`, `1.5`. ValueError says in one line what to write.

A share is 0 to 1 or a percentage. A factor is a plain number: 150 % may be x1.5 or 150 % more.
"""

import re
from math import isfinite

from policies.arguments import shown

Written = int | float | str

_AMOUNT = re.compile(r"([-+]?)(\d+(?:\.\d*)?|\.\d+)((?:[eE][-+]?\d+)?)\s*([^\W\d]+|%)?", re.ASCII)
_FACTOR = re.compile(r"(?:[xX\u00d7]\s*)?(\d+(?:\.\d*)?|\.\d+)(?:\s*[xX\u00d7])?", re.ASCII)
_SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def read_limit(written: Written, unit: str) -> float:
    """An amount in the unit of a metric."""
    match unit:
        case "s":
            return read_seconds(written)
        case "share":
            return read_share(written)
        case "factor":
            return read_factor(written)
    return read_number(written, f"it is in {unit}")


def read_seconds(written: Written) -> float:
    """`2 s`, `500 ms`, `3 min`, or a number of seconds."""
    if not isinstance(written, str):
        return _checked(written, written)
    value, unit = _parts(written, "a duration", "2 s, 500 ms or a number of seconds")
    if unit not in _SECONDS:
        meant = "s" if unit.casefold() in ("sec", "secs", "second", "seconds") else "ms, s, min or h"
        raise ValueError(f"{shown(written)} has an unknown unit of time. Write {meant}")
    return _checked(value * _SECONDS[unit], written)


def read_share(written: Written) -> float:
    """`0.02` or `2%`."""
    value = _checked(written, written) if not isinstance(written, str) else _percent(written)
    if value > 1:
        percent = not isinstance(written, str) and 2 <= value <= 100
        meant = f"{value / 100:g} or {value:g}%" if percent else "at most 1, which is 100%"
        raise ValueError(f"{_said(written)} is a share above 1. Write {meant}")
    return value


def read_factor(written: Written) -> float:
    """A plain number above 0."""
    if isinstance(written, str):
        raise ValueError(_no_factor(written))
    value = _checked(written, written)
    if value == 0:
        raise ValueError("a factor of 0 holds for nothing. Write one such as 1.5")
    return value


def read_number(written: Written, what: str) -> float:
    """A number without a unit. `what` says in which one it is."""
    if isinstance(written, str):
        raise ValueError(f"{shown(written)} is no plain number, and {what}. Write it without quotes and unit")
    return _checked(written, written)


def _percent(written: str) -> float:
    value, unit = _parts(written, "a share", "0.02 or 2%")
    if unit != "%":
        raise ValueError(f"{shown(written)} is no share. Write 0.02 or 2%")
    return _checked(value / 100, written)


def _no_factor(written: str) -> str:
    """What to write instead of a text."""
    text = written.strip()
    found = _AMOUNT.fullmatch(text)
    if found is not None and found[4] == "%" and isfinite(float(found[2] + found[3])):
        ratio, more = float(found[2] + found[3]) / 100, found[1]
        meant = 1 + ratio if more == "+" else 1 - ratio if more == "-" else ratio
        doubt = "" if more else f" (x{ratio:g} or {ratio:+.0%}?)"
        return f"{shown(written)} is no factor{doubt}. Write {max(meant, 0):g}"
    bare = _FACTOR.fullmatch(text)
    if bare is not None and isfinite(float(bare[1])):
        return f"{shown(written)} is text, a factor is a plain number. Write {float(bare[1]):g}"
    return f"{shown(written)} is no factor. Write a plain number such as 1.5"


def _parts(written: str, what: str, examples: str) -> tuple[float, str]:
    found = _AMOUNT.fullmatch(written.strip())
    if found is None:
        raise ValueError(f"{shown(written)} is not {what}. Write {examples}")
    if found[4] is None:
        raise ValueError(f"{shown(written)} is text. Write it without quotes, or with a unit: {examples}")
    return float(found[1] + found[2] + found[3]), found[4]


def _checked(value: float, written: Written) -> float:
    if not isfinite(value):
        raise ValueError(f"{_said(written)} is not finite. Write a number")
    if value < 0:
        raise ValueError(f"{_said(written)} is below 0. Write a number from 0 on")
    return float(value)


def _said(written: Written) -> str:
    return shown(written) if isinstance(written, str) else shown(f"{written:g}")[1:-1]
