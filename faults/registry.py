"""Faults by name. To add one: its file, its line in its family, its test."""

import inspect
from collections.abc import Mapping

from faults import engine, link, process, worker
from faults.fault import Fault
from faults.fitting import fit, settable
from faults.shape import CONSTANT, Shape

FAMILIES = (engine, worker, link, process)
FAULTS: Mapping[str, type[Fault]] = {fault.kind: fault for family in FAMILIES for fault in family.FAULTS}


def make_fault(kind: str, parameters: Mapping[str, float], shape: Shape = CONSTANT) -> Fault:
    """The fault `kind` with `parameters`. KeyError for an unknown kind, ValueError for a wrong parameter."""
    fault = FAULTS[kind]
    return fault(shape=shape, **fit(kind, settable(fault), (), parameters))


def parameter_defaults(kind: str) -> Mapping[str, float]:
    """What can be set of the fault `kind`, without the shape, and what it is otherwise."""
    found = inspect.signature(FAULTS[kind]).parameters.values()
    return {each.name: each.default for each in found if each.name != "shape"}
