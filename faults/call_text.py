"""Reading of `name(parameter=value, ...)` into its parts, where a value may be such a call itself, once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, nan
from typing import NoReturn

from faults.magnitude import OfTimeout

HOW = "Write kind(parameter=number, ..., shape=name(...))"
LONGEST = 1_000  # characters
SHOWN = 60  # characters of a text that cannot be read
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{_NUMBER})(?P<unit>\w*)|(?P<word>[+-]?[a-z_]\w*)|(?P<mark>\S))",
    re.ASCII | re.IGNORECASE,
)
_WORDS = {"inf": inf, "+inf": inf, "-inf": -inf, "nan": nan}


@dataclass(slots=True)
class Call:
    """A name and what stands in its parentheses."""

    name: str
    placed: list[float] = field(default_factory=list)
    named: dict[str, float] = field(default_factory=dict)
    shapes: dict[str, "Call"] = field(default_factory=dict)


class Reader:
    """Reads one call, token by token. ValueError in one line, with what was wrong and what to write."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise ValueError(f"a fault of {len(text):,} characters; at most {LONGEST:,} are accepted")
        self._text = text
        self._tokens: Iterator[re.Match[str]] = _TOKEN.finditer(text.rstrip())
        self._next = next(self._tokens, None)

    def whole(self) -> Call:
        call = self._call(self._word())
        if self._next is not None:
            self._fail("something follows the last parenthesis")
        return call

    def _call(self, name: str, *, within: bool = False) -> Call:
        call = Call(name)
        if not self._take("("):
            return call
        while not self._take(")"):
            self._parameter(call, within)
            if not self._take(",") and (self._next is None or self._next["mark"] != ")"):
                self._fail("the parentheses do not match" if self._next is None else "a comma is missing")
        return call

    def _parameter(self, call: Call, within: bool) -> None:
        token = self._token()
        value = _number(token)
        if value is not None:
            if call.named or call.shapes:
                self._fail("a value without a name follows one with a name")
            call.placed.append(value)
            return
        name = token["word"]
        if name is None or not self._take("="):
            self._fail(f"{shown(token[0].strip())} is no number and has no value")
        if name in call.named or name in call.shapes:
            raise ValueError(f"{shown(self._text)}: {name} is given twice")
        self._value(call, name, within)

    def _value(self, call: Call, name: str, within: bool) -> None:
        token = self._token()
        value = _number(token)
        if value is not None:
            call.named[name] = value
        elif token["word"] is None or within:
            self._fail(f"{shown(token[0].strip())} is no number")
        else:
            call.shapes[name] = self._call(token["word"], within=True)

    def _word(self) -> str:
        token = self._token()
        if token["word"] is None:
            self._fail("it does not begin with a name")
        return token["word"]

    def _token(self) -> re.Match[str]:
        token = self._next
        if token is None:
            self._fail("it ends too soon" if self._text.strip() else "it is empty")
        self._next = next(self._tokens, None)
        return token

    def _take(self, mark: str) -> bool:
        """Whether the next one is `mark`, which is then behind us."""
        if self._next is None or self._next["mark"] != mark:
            return False
        self._next = next(self._tokens, None)
        return True

    def _fail(self, why: str) -> NoReturn:
        raise ValueError(f"{shown(self._text)}: {why}. {HOW}")


def read_number(text: str) -> float:
    """`2`, `0.5`, `inf` or `0.95timeout`. ValueError for anything else."""
    found = _TOKEN.fullmatch(text.strip())
    if found is None or (number := _number(found)) is None:
        raise ValueError(f"expected a number, or a share of the timeout as 0.95timeout, got {shown(text)}")
    return number


def _number(token: re.Match[str]) -> float | None:
    """None if it is none. ValueError for one with a unit that is no share of the timeout."""
    if token["number"] is None:
        return _WORDS.get((token["word"] or "").lower())
    match token["unit"]:
        case "":
            return float(token["number"])
        case "timeout":
            return OfTimeout(float(token["number"]))
        case unit:
            number = token["number"]
            words = f"a number has no unit, {number} and not {shown(number + unit)[1:-1]}"
            raise ValueError(f"{words}; only 'timeout' may follow it")


def shown(text: str) -> str:
    """Cut short and with nothing in it that a terminal would obey."""
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")
