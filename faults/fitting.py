"""Parameters as people write them, fitted to the attributes of a fault or a shape."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from faults.magnitude import OfTimeout

UNITS = ("_s", "_ratio")  # of attributes, which may be left out: `latency` is `latency_s`


def settable(kind: type) -> dict[str, type]:
    """The numbers that can be set of a fault or a shape, in order, and whether each is whole (`int`)."""
    return {field.name: field.type for field in fields(kind) if field.name != "shape"}  # type: ignore[misc]  # a plain type here


def fit(
    what: str, known: Mapping[str, type], placed: Sequence[float], named: Mapping[str, float]
) -> dict[str, float]:
    """The attributes of `what`, each by its whole name. ValueError in one line for what does not fit."""
    if len(placed) > len(known):
        raise ValueError(f"{what}: {len(placed)} values, but it takes {', '.join(known) or 'none'}")
    given = dict(zip(known, placed, strict=False))
    for written, value in named.items():
        name = _meant(what, written, known)
        if name in given:
            raise ValueError(f"{what}: {name} is given twice")
        given[name] = value
    return {name: _checked(what, name, value, known[name]) for name, value in given.items()}


def _meant(what: str, written: str, known: Mapping[str, type]) -> str:
    meant = [name for name in (written, *(written + unit for unit in UNITS)) if name in known]
    if not meant:
        raise ValueError(f"{what} has no parameter '{written}'. It has: {', '.join(known) or 'none'}")
    if len(meant) > 1 and meant[0] != written:
        raise ValueError(f"{what}: {written} may be {' or '.join(meant)}: say which")
    return meant[0]


def _checked(what: str, name: str, value: float, kind: type) -> float:
    """What must be whole as an `int`."""
    if isinstance(value, OfTimeout) and not name.endswith("_s"):
        raise ValueError(f"{what}: {name} is no duration, and {value} one")
    if kind is not int:
        return value
    if not float(value).is_integer():
        raise ValueError(f"{what}: {name} must be a whole number, got {value}")
    return int(value)
