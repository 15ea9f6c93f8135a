"""Pipelines as text: `timeout(ttft=2) | retry(max_attempts=2, budget=0.1) | breaker_window()`.

Outermost first. A parameter is named, or goes by its place; its unit may be left out; its value is a number,
a word, a text in quotes, `true`, `false`, `none`, `inf`, or a list of those in brackets. A policy of one's
own is `module:attribute`. Line breaks and blanks mean nothing, and from `#` to the end of the line is a
comment.
"""

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from keyword import iskeyword
from math import inf

from policies import own
from policies.policy import Policy
from policies.registry import POLICIES, fit, make

LONGEST = 10_000  # characters; deep nesting would end in the parser's own limits
SHOWN = 60  # characters of a text that cannot be read
_QUOTED = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_QUOTED_OR_COMMENT = re.compile(rf"{_QUOTED}|#[^\n]*")
_BLANKS = re.compile(rf"({_QUOTED})|\s*([(=\[])\s*|\s*([)\],])|\s+")
_MARK = re.compile(rf"{_QUOTED}|[|()\[\]{{}}]")
_NAME = re.compile(r"[A-Za-z_][\w.]*(?::[A-Za-z_][\w.]*)?")
_ITEM = re.compile(rf"(?P<name>{_NAME.pattern})\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)
_WORDS = {"true": True, "false": False, "none": None, "inf": inf}
_CAUSES = {"invalid decimal literal": "a number has no unit, 2 and not 2s"}  # what Python's own words mean
_HOW = "Write name(parameter=value, ...), and | between policies"


class NotationError(ValueError):
    """One line that says what is wrong. `offset`: of the policy that it is about, in characters."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


def parse(text: str) -> list[Policy]:
    """The policies of a pipeline, made afresh. NotationError for what cannot be read or does not fit."""
    policies = []
    for offset, item in _items(text):
        try:
            policies.append(_policy(item))
        except (ValueError, TypeError) as wrong:
            raise NotationError(_one_line(str(wrong)), offset) from wrong
    return policies


def tidy(text: str) -> str:
    """The same pipeline in one line, without comments. Every policy has its parentheses, as no preset has."""
    lines = (_BLANKS.sub(_without_blanks, item) for _, item in _items(text))
    return " | ".join(f"{line}()" if _NAME.fullmatch(line) else line for line in lines)


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


def spell_value(value: object) -> str:
    """A parameter's value as it is written."""
    match value:
        case bool() | None:
            return str(value).lower()
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
        case str():
            return value if _is_word(value) else ascii(value)
        case Sequence():
            return f"[{', '.join(map(spell_value, value))}]"
    return repr(value)


def _is_word(value: str) -> bool:
    """Whether it can do without quotes."""
    return value.isascii() and value.isidentifier() and not iskeyword(value) and value.lower() not in _WORDS


def _items(text: str) -> Iterator[tuple[int, str]]:
    """Each policy with where it begins."""
    if len(text) > LONGEST:
        raise NotationError(f"a pipeline of {len(text):,} characters; at most {LONGEST:,} are accepted")
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


def _without_blanks(found: re.Match[str]) -> str:
    """A quoted text, or a mark without the blanks around it; else one blank for several."""
    return found[found.lastindex] if found.lastindex else " "


def _policy(item: str) -> Policy:
    found = _ITEM.fullmatch(item)
    if found is None:
        raise ValueError(f"{_shown(item)} is no policy. {_HOW}")
    name = found["name"]
    positional, named = _arguments(item, found["arguments"] or "")
    if ":" in name:
        return own.make(name, positional, named)
    return make(name, fit(name, positional, named))


def _arguments(item: str, text: str) -> tuple[list[object], dict[str, object]]:
    source = f"_({text}\n)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in quotes
            call = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
        cause = wrong.msg.partition(" (")[0] if isinstance(wrong, SyntaxError) else "it cannot be read"
        raise ValueError(f"{_shown(item)}: {_CAUSES.get(cause, cause).rstrip('?.')}. {_HOW}") from wrong
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(f"{_shown(item)}: the parentheses do not match. {_HOW}")
    named: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError(f"{_shown(item)}: a parameter is given as name=value")
        if keyword.arg in named:
            raise ValueError(f"{_shown(item)}: {keyword.arg} is given twice")
        named[keyword.arg] = _value(source, keyword.value)
    return [_value(source, value) for value in call.args], named


def _value(source: str, node: ast.expr) -> object:
    match node:
        case ast.List(elts=each) | ast.Tuple(elts=each):
            return tuple(_scalar(source, element) for element in each)
    return _scalar(source, node)


def _scalar(source: str, node: ast.expr) -> object:
    match node:
        case ast.Name(id=word):
            return _WORDS.get(word.lower(), word)
        case ast.Constant(value=bool() | str() | float() | None as value):
            return value
        case ast.Constant(value=int() as value) if value <= sys.maxsize:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            match _scalar(source, operand) if isinstance(operand, ast.Name | ast.Constant) else None:
                case int() | float() as value if value is not True and value is not False:
                    return -value
    written = _shown(ast.get_source_segment(source, node) or "")
    raise ValueError(f"{written} is no number, word, or text in quotes")


def _shown(text: str) -> str:
    """What the user wrote, cut short and with nothing in it that a terminal would obey."""
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")


def _one_line(text: str) -> str:
    """Also of what somebody else's code said."""
    visible = "".join(c if c.isprintable() or c.isspace() else ascii(c)[1:-1] for c in text)
    return " ".join(visible.split())
