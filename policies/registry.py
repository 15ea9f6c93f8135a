"""Every policy by name, and the making of one from a name and parameters."""

import random
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches

from policies.breaker_pybreaker import BreakerPybreaker
from policies.breaker_window import BreakerWindow
from policies.bulkhead import Bulkhead
from policies.deadline import Deadline
from policies.least_request import LeastRequest
from policies.policy import Policy
from policies.retry import Retry
from policies.round_robin import RoundRobin
from policies.shed_queue_length import ShedQueueLength
from policies.timers import Timers

_ALL: tuple[type[Policy], ...] = (
    Policy,
    Timers,
    Deadline,
    Retry,
    BreakerPybreaker,
    BreakerWindow,
    Bulkhead,
    ShedQueueLength,
    RoundRobin,
    LeastRequest,
)

POLICIES: dict[str, type[Policy]] = {policy.name: policy for policy in _ALL}


def make(name: str, parameters: Mapping[str, object] | None = None) -> Policy:
    """The policy `name` with `parameters`; ValueError in one line if either is unknown or out of range."""
    if name not in POLICIES:
        raise ValueError(f"unknown policy {name!r}; {_closest(name, POLICIES)}")
    known = parameter_defaults(name)
    for parameter in parameters or {}:
        if parameter not in known:
            raise ValueError(f"{name}: unknown parameter {parameter!r}; {_closest(parameter, known)}")
    return POLICIES[name](**(parameters or {}))


def parameter_defaults(name: str) -> dict[str, object]:
    """The parameters that a user can set on the policy `name`, with their defaults."""
    policy = POLICIES[name]()
    if not is_dataclass(policy):
        return {}
    values = {field.name: getattr(policy, field.name) for field in fields(policy) if field.init}
    return {field: value for field, value in values.items() if not isinstance(value, random.Random)}


def _closest(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"closest: {close[0]}; " if close else ""
    return f"{hint}known: {', '.join(known) or 'it has none at all'}"
