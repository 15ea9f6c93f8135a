"""The attributes of a toxic, read from a request and checked; the original checks nothing but their form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from faults.toxiproxy import body
from faults.toxiproxy.errors import Refused
from faults.toxiproxy.mode import Mode
from faults.toxiproxy.toxics.toxic import Toxic

_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of a toxic by what was given."""

    toxic: Toxic
    typed: Mapping[str, int]  # those that it works with otherwise than as they were typed: strict_compat only
    refused: Refused | None  # for the first attribute that was wrong


def read(toxic: Toxic, typed: Mapping[str, int], given: Any, mode: Mode) -> Reading:
    """`toxic` with the attributes in `given`, null for none. Those that are wrong stay as they were.

    With `strict_compat` a number out of range means what the nearest in range means, since the original
    takes every number, except where such a number brings it down.
    """
    values: dict[str, int] = {**toxic.attributes(), **typed}
    refused: Refused | None = None
    try:
        attributes = body.as_object(given, "attributes")
        for name, old in values.items():
            try:
                values[name] = _fits(name, body.whole(attributes, name, old))
            except Refused as wrong:
                refused = refused or wrong
        works = _nearest(toxic, values) if mode.strict_compat else values
        made = replace(toxic, **works)
    except Refused as wrong:
        return Reading(toxic, typed, wrong)
    except ValueError as wrong:
        return Reading(toxic, typed, Refused(400, f"bad request body: {wrong}"))
    return Reading(made, {name: values[name] for name in values if values[name] != works[name]}, refused)


def _nearest(toxic: Toxic, values: Mapping[str, int]) -> dict[str, int]:
    lenient = {name: limits for name, limits in toxic.ranges.items() if name not in toxic.crashing}
    return dict(values) | {name: min(max(values[name], low), high) for name, (low, high) in lenient.items()}


def _fits(name: str, value: int) -> int:
    if value not in _INT64:
        raise Refused(400, f"bad request body: {name}: expected a whole number of 64 bits, got {value}")
    return value
