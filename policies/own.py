"""A policy of the user's own by `module:attribute`: a class of theirs, or a function that makes a policy.

A function is called only if it says that it returns a policy. Pipelines are passed around, in files and in
replay tokens, and `os:system("...")` must not be one.
"""

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import is_dataclass

from policies.policy import Policy
from policies.registry import fit_to, make_of

WANTED = "a subclass of policies.policy.Policy, or a function that says it returns one: -> Policy"


def make(name: str, positional: Sequence[object], named: Mapping[str, object]) -> Policy:
    """The policy that `module:attribute` makes. ValueError for whatever goes wrong in it."""
    found = _find(name)
    try:
        made = _make(found, name, positional, named)
    except (Exception, SystemExit) as wrong:  # a stranger's code may raise anything
        words = str(wrong) or type(wrong).__name__
        raise ValueError(words if words.startswith(f"{name}: ") else f"{name}: {words}") from wrong
    if not isinstance(made, Policy):
        raise ValueError(f"{name} made no policy but a {type(made).__name__}")
    return made


def _make(
    found: Callable[..., object], name: str, positional: Sequence[object], named: Mapping[str, object]
) -> object:
    if isinstance(found, type) and issubclass(found, Policy) and is_dataclass(found):
        return make_of(found, name, fit_to(found, name, positional, named))
    return found(*positional, **named)


def _find(name: str) -> Callable[..., object]:
    module, _, attribute = name.partition(":")
    found = _imported(name, module)
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except Exception as wrong:  # whatever a stranger's module does
            raise ValueError(f"{name}: {module} has no {attribute!r}") from wrong
    if not callable(found) or not _makes_a_policy(found):
        raise ValueError(f"{name} is no policy: {WANTED}")
    return found


def _imported(name: str, module: str) -> object:
    if "" not in sys.path:
        sys.path.append("")  # the folder that the command is run in; last, so that it hides nothing of ours
    try:
        with redirect_stdout(sys.stderr):  # what it prints is no part of the report
            return importlib.import_module(module)
    except ModuleNotFoundError as wrong:
        where = " in this folder or installed" if wrong.name == module.partition(".")[0] else ""
        raise ValueError(f"{name}: cannot import {module}: there is no module {wrong.name}{where}") from wrong
    except (Exception, SystemExit) as wrong:  # whatever a stranger's module does
        raise ValueError(f"{name}: cannot import {module}: {type(wrong).__name__}: {wrong}") from wrong


def _makes_a_policy(found: Callable[..., object]) -> bool:
    if isinstance(found, type):
        return issubclass(found, Policy)
    try:
        returned = inspect.signature(found, eval_str=True).return_annotation
    except Exception:  # what cannot be looked at does not say so
        return False
    return isinstance(returned, type) and issubclass(returned, Policy)
