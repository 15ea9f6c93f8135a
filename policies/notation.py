"""Pipelines as text: `timeout(ttft=2) | retry(max_attempts=2, budget=0.1) | breaker_window()`.

Outermost first. A parameter is named, or goes by its place; its unit may be left out; its value is a number,
a word, a text in quotes, `true`, `false`, `none`, `inf`, or a list of those in brackets. A policy of one's
own is `module:attribute`. Line breaks and blanks mean nothing, and from `#` to the end of the line is a
comment.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise

from policies import own
from policies.arguments import HOW, read_arguments, shown, spell_value
from policies.policy import Policy
from policies.registry import POLICIES, fit, make

LONGEST = 10_000  # characters; deep nesting would end in the parser's own limits
_QUOTED = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_QUOTED_OR_COMMENT = re.compile(rf"{_QUOTED}|#[^\n]*")
_BLANKS = re.compile(rf"({_QUOTED})|\s*([(=\[])\s*|\s*([)\],])|\s+")
_MARK = re.compile(rf"{_QUOTED}|[|()\[\]{{}}]")
_NAME = re.compile(r"[A-Za-z_][\w.]*(?::[A-Za-z_][\w.]*)?")
_ITEM = re.compile(rf"(?P<name>{_NAME.pattern})\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)


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
            raise NotationError(one_line(str(wrong)), offset) from wrong
    return policies


def tidy(text: str) -> str:
    """The same pipeline in one line, without comments. Every policy has its parentheses, as no preset has."""
    lines = (_BLANKS.sub(_without_blanks, item) for _, item in _items(text))
    return " | ".join(f"{line}()" if _NAME.fullmatch(line) else line for line in lines)


def names_of_own(text: str) -> list[str]:
    """The policies of one's own in a pipeline, `module:attribute` each."""
    found = (_ITEM.fullmatch(item) for _, item in _items(text))
    return [item["name"] for item in found if item is not None and ":" in item["name"]]


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
        raise ValueError(f"{shown(item)} is no policy. {HOW}")
    name = found["name"]
    positional, named = read_arguments(item, found["arguments"] or "")
    if ":" in name:
        return own.make(name, positional, named)
    return make(name, fit(name, positional, named))


def one_line(text: str) -> str:
    """Also of what somebody else's code said."""
    visible = "".join(c if c.isprintable() or c.isspace() else ascii(c)[1:-1] for c in text)
    return " ".join(visible.split())
