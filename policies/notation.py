"""Pipelines as text: `timeout(ttft=2) | retry(max_attempts=2, budget=0.1) | breaker_window()`.

Outermost first. A parameter is named, or goes by its place; its unit may be left out; its value is a number,
a word, a text in quotes, `true`, `false`, `none` or `inf`. A policy of one's own is `module:attribute`. Line
breaks and blanks mean nothing, and from `#` to the end of the line is a comment.
"""

import ast
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from math import inf

from policies.policy import Policy
from policies.registry import POLICIES, find, make_of, parameter_names

LONGEST = 10_000  # characters; deep nesting would end in the parser's own limits
_QUOTED = r"\"[^\"\n]*\"|'[^'\n]*'"
_QUOTED_OR_COMMENT = re.compile(rf"{_QUOTED}|#[^\n]*")
_MARK = re.compile(rf"{_QUOTED}|[|()\[\]{{}}]")
_ITEM = re.compile(r"(?P<name>[A-Za-z_][\w.]*(?::[A-Za-z_][\w.]*)?)\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)
_WORDS = {"true": True, "false": False, "none": None, "inf": inf}


class NotationError(ValueError):
    """One line that says what is wrong. `offset`: of the policy that it is about, in characters."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


def parse(text: str) -> list[Policy]:
    """The policies of a pipeline, made afresh. NotationError for what cannot be read or does not fit."""
    if len(text) > LONGEST:
        raise NotationError(f"a pipeline of {len(text):,} characters; at most {LONGEST:,} are accepted")
    policies = []
    for offset, item in _items(text):
        try:
            policies.append(_policy(item))
        except (ValueError, TypeError) as wrong:
            raise NotationError(" ".join(str(wrong).split()), offset) from wrong
    return policies


def tidy(text: str) -> str:
    """The same pipeline in one line, without comments."""
    return " | ".join(" ".join(item.split()) for _, item in _items(text))


def spell(policy: Policy) -> str:
    """The text of one policy: its parameters as far as they differ from the defaults."""
    kind = type(policy)
    name = kind.name if POLICIES.get(kind.name) is kind else f"{kind.__module__}:{kind.__qualname__}"
    if not is_dataclass(policy):
        return f"{name}()"
    changed = (
        f"{field.name}={spell_value(getattr(policy, field.name))}"
        for field in fields(policy)
        if field.init and getattr(policy, field.name) != field.default
    )
    return f"{name}({', '.join(changed)})"


def _items(text: str) -> Iterator[tuple[int, str]]:
    """Each policy with where it begins."""
    plain = _QUOTED_OR_COMMENT.sub(lambda found: _blank(found[0]), text)
    cuts, depth = [-1], 0
    for mark in _MARK.finditer(plain):
        depth += (mark[0] in "([{") - (mark[0] in ")]}")
        if mark[0] == "|" and depth <= 0:
            cuts.append(mark.start())
    for before, after in pairwise([*cuts, len(text)]):
        item = plain[before + 1 : after]
        if not item.strip():
            raise NotationError("a policy is missing" if len(cuts) > 1 else "an empty pipeline", before + 1)
        yield before + 1 + len(item) - len(item.lstrip()), item.strip()


def _blank(found: str) -> str:
    """As many blanks for a comment; what is in quotes stays."""
    return " " * len(found) if found.startswith("#") else found


def _policy(item: str) -> Policy:
    found = _ITEM.fullmatch(item)
    if found is None:
        raise ValueError(f"{item!r} is no policy: name(parameter=value, ...) is expected")
    name = found["name"]
    kind = _import(name) if ":" in name else find(name)
    positional, named = _arguments(name, found["arguments"] or "")
    if not isinstance(kind, type):
        return _made(name, kind(*positional, **named))
    known = parameter_names(kind)
    if len(positional) > len(known):
        raise ValueError(f"{name}: {len(positional)} values, but it takes {', '.join(known) or 'none'}")
    given = dict(zip(known, positional, strict=False))
    for parameter, value in named.items():
        if parameter in given:
            raise ValueError(f"{name}: {parameter} is given twice")
        given[parameter] = value
    return make_of(kind, name, given)


def _arguments(name: str, text: str) -> tuple[list[object], dict[str, object]]:
    try:
        call = ast.parse(f"_({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
        cause = wrong.msg if isinstance(wrong, SyntaxError) else "it cannot be read"
        raise ValueError(f"{name}({text}): {cause}") from wrong
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(f"{name}({text}): the parentheses do not match")
    named: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError(f"{name}: a parameter is given as name=value")
        named[keyword.arg] = _value(name, keyword.value)
    return [_value(name, value) for value in call.args], named


def _value(name: str, node: ast.expr) -> object:
    match node:
        case ast.Name(id=word):
            return _WORDS.get(word.lower(), word)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="inf")):
            return -inf
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, RecursionError, MemoryError) as wrong:
        raise ValueError(f"{name}: {ast.unparse(node)} is no number, word, or text in quotes") from wrong
    if not isinstance(value, int | float | str | bool | tuple | list | None):
        raise ValueError(f"{name}: {ast.unparse(node)} is no number, word, or text in quotes")
    return tuple(value) if isinstance(value, list) else value


def _import(name: str) -> Callable[..., object]:
    """A user's own: a policy class, or a function that makes a policy."""
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # the folder that the command is run in, as with `python -m`
    try:
        found: object = importlib.import_module(module)
    except (Exception, SystemExit) as wrong:  # whatever a stranger's module does
        raise ValueError(f"{name}: cannot import {module}: {type(wrong).__name__}: {wrong}") from wrong
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{name}: {module} has no '{attribute}'")
        found = getattr(found, part)
    if not callable(found) or (isinstance(found, type) and not issubclass(found, Policy)):
        raise ValueError(f"{name} is no policy: a subclass of policies.policy.Policy, or what makes one")
    return found


def _made(name: str, policy: object) -> Policy:
    if not isinstance(policy, Policy):
        raise ValueError(f"{name} made no policy but {policy!r}")
    return policy


def spell_value(value: object) -> str:
    """A parameter's value as it is written."""
    match value:
        case bool() | None:
            return str(value).lower()
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
        case Sequence() if not isinstance(value, str):
            return f"[{', '.join(map(spell_value, value))}]"
    return value if isinstance(value, str) and value.isidentifier() else repr(value)
