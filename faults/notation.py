"""Faults as text: `link_latency(latency=0.95timeout, shape=ramp(rise=5, fall=3))`.

A parameter is named, or goes by its place; its unit may be left out; its value is a number, or so many times
the timeout of an attempt. `shape` is written like a fault. What is left out has its default.
"""

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches

from faults.call_text import HOW, Call, Reader, shown
from faults.fault import Fault
from faults.fitting import fit, settable
from faults.magnitude import OfTimeout
from faults.registry import FAULTS, make_fault
from faults.shape import CONSTANT, SHAPES, Shape

CLOSE = 0.6  # how alike a name must be to be named as the closest


def read_fault(text: str) -> Fault:
    """ValueError in one line for what cannot be read or does not fit."""
    call = Reader(text).whole()
    shape = call.shapes.pop("shape", None)
    if call.shapes:
        raise ValueError(f"{shown(text)}: {min(call.shapes)} takes a number. {HOW}")
    if "shape" in call.named:
        raise ValueError(f"{shown(text)}: shape takes a shape. {HOW}")
    _check("fault", call.name, FAULTS)
    parameters = fit(call.name, settable(FAULTS[call.name]), call.placed, call.named)
    return make_fault(call.name, parameters, CONSTANT if shape is None else _shape(shape))


def read_shape(text: str) -> Shape:
    """`ramp(rise=5)`. ValueError in one line."""
    return _shape(Reader(text).whole())


def spell(fault: Fault) -> str:
    """The text of a fault with all its numbers, so that it says the same when defaults change."""
    values = [f"{name}={spell_number(value)}" for name, value in fault.parameters().items()]
    values += [] if fault.shape == CONSTANT else [f"shape={spell_shape(fault.shape)}"]
    return f"{fault.kind}({', '.join(values)})"


def spell_shape(shape: Shape) -> str:
    values = (f"{field.name}={spell_number(getattr(shape, field.name))}" for field in fields(shape))
    return f"{shape.name}({', '.join(values)})"


def spell_number(value: float) -> str:
    """To the last digit, so that it is read as the same number."""
    if isinstance(value, OfTimeout):
        return f"{spell_number(value.ratio)}timeout"
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _shape(call: Call) -> Shape:
    _check("shape", call.name, SHAPES)
    if call.shapes:
        raise ValueError(f"{call.name}: {min(call.shapes)} takes a number. {HOW}")
    found = SHAPES[call.name]
    return found(**fit(call.name, settable(found), call.placed, call.named))


def _check(what: str, name: str, known: Mapping[str, object]) -> None:
    if name not in known:
        if what == "fault" and name in SHAPES:
            raise ValueError(f"{name} is a shape of a fault, as in slow_steps(10, shape={name}())")
        if what == "shape" and name in FAULTS:
            raise ValueError(f"{name} is a fault and no shape. `limplock list shapes` has all")
        close = get_close_matches(name.casefold(), known, n=1, cutoff=CLOSE)
        hint = f"Closest: {close[0]}. " if close else ""
        raise ValueError(f"unknown {what} {shown(name)}. {hint}`limplock list {what}s` has all")
