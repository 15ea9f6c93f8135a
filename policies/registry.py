"""Every policy by name, and the making of one from a name and parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches

from policies import (
    breakers,
    fallbacks,
    limits,
    outliers,
    pickers,
    queues,
    retries,
    reuse,
    throttles,
    timers,
)
from policies.policy import Policy

# Outermost first, as they stand in a pipeline.
FAMILIES = (reuse, fallbacks, timers, throttles, queues, retries, breakers, outliers, limits, pickers)
POLICIES: dict[str, type[Policy]] = {
    policy.name: policy for policy in (Policy, *(each for family in FAMILIES for each in family.POLICIES))
}
UNITS = ("_s", "_ratio")  # of parameters, which may be left out: `ttft` is `ttft_s`


def make(name: str, parameters: Mapping[str, object] | None = None) -> Policy:
    """The policy `name` with `parameters`; ValueError in one line if either is unknown or out of range."""
    return make_of(find(name), name, parameters or {})


def find(name: str) -> type[Policy]:
    """ValueError in one line for an unknown name."""
    if name not in POLICIES:
        raise ValueError(
            f"unknown policy {name!r}; {_closest(name, POLICIES)}`limplock list policies` has all"
        )
    return POLICIES[name]


def make_of(policy: type[Policy], name: str, parameters: Mapping[str, object]) -> Policy:
    """A `policy`, called `name` in refusals, with `parameters`; their units may be left out."""
    known = _settable(policy)
    whole: dict[str, object] = {}
    for written, value in parameters.items():
        parameter = _parameter(name, written, known)
        if parameter in whole:
            raise ValueError(f"{name}: {parameter} is given twice")
        whole[parameter] = value
    return policy(**whole)


def fit(name: str, positional: Sequence[object], named: Mapping[str, object]) -> dict[str, object]:
    """The parameters of the policy `name`, each by its name: some go by their place."""
    return fit_to(find(name), name, positional, named)


def fit_to(
    policy: type[Policy], name: str, positional: Sequence[object], named: Mapping[str, object]
) -> dict[str, object]:
    """The same for a `policy` that is called `name` in refusals."""
    known = list(_settable(policy))
    if len(positional) > len(known):
        raise ValueError(f"{name}: {len(positional)} values, but it takes {', '.join(known) or 'none'}")
    given = dict(zip(known, positional, strict=False))
    if twice := given.keys() & named.keys():
        raise ValueError(f"{name}: {min(twice)} is given twice")
    return given | dict(named)


def parameter_defaults(name: str) -> dict[str, object]:
    """The parameters that a user can set on the policy `name`, with their defaults."""
    policy = POLICIES[name]()
    return {parameter: getattr(policy, parameter) for parameter in _settable(type(policy))}


def _settable(policy: type[Policy]) -> dict[str, None]:
    return {field.name: None for field in fields(policy) if field.init} if is_dataclass(policy) else {}


def _parameter(name: str, written: str, known: Mapping[str, object]) -> str:
    """The parameter that is meant. ValueError if that is none, or one of two that differ in the unit."""
    if written in known:
        return written
    meant = [written + unit for unit in UNITS if written + unit in known]
    if not meant:
        raise ValueError(f"{name}: unknown parameter {written!r}; {_closest(written, known)}{_all(known)}")
    if len(meant) > 1:
        raise ValueError(f"{name}: {written} may be {' or '.join(meant)}: say which")
    return meant[0]


def _closest(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    return f"closest: {close[0]}; " if close else ""


def _all(known: Mapping[str, object]) -> str:
    return f"known: {', '.join(known) or 'it has none at all'}"
