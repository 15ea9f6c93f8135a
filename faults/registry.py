"""Faults by name. To add one: its file, its line here, its test."""

import inspect
from collections.abc import Mapping

from faults.fault import Fault
from faults.killed import Killed
from faults.link_latency import LinkLatency
from faults.slow_steps import SlowSteps

FAULTS: Mapping[str, type[Fault]] = {f.kind: f for f in (SlowSteps, LinkLatency, Killed)}


def make_fault(kind: str, parameters: Mapping[str, float]) -> Fault:
    """The fault `kind` with `parameters`. KeyError for an unknown kind, ValueError for a wrong parameter."""
    fault = FAULTS[kind]
    known = list(inspect.signature(fault).parameters)
    for name in parameters:
        if name not in known:
            raise ValueError(f"{kind} has no parameter '{name}'. It has: {', '.join(known) or 'none'}")
    return fault(**parameters)
