"""Reading of `name(parameter=value, ...)` into its parts, where a value may be such a call itself, once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, nan
from typing import NoReturn

from faults.magnitude import OfTimeout
from faults.shape import SHAPES

HOW = "Write kind(parameter=number, ..., shape=name(...))"
LONGEST = 1_000  # characters
SHOWN = 60  # characters of a text that cannot be read
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{_NUMBER})(?P<unit>[\w%]*)|(?P<word>[+-]?[a-z_]\w*)|(?P<mark>\S))",
    re.ASCII | re.IGNORECASE,
)
SHARE = "timeout"  # the one word that may follow a number
DURATIONS = "durations are seconds"
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1}
_SECONDS |= {"m": 60, "min": 60, "mins": 60, "minutes": 60, "h": 3600, "hours": 3600}
_SIZES = ("b", "kb", "mb", "gb", "kib", "mib", "gib", "bytes", "w", "watts", "mhz", "ghz")
_OTHERS = dict.fromkeys(_SIZES, "it is in the unit of its parameter, which `limplock list faults` says")
_OTHERS |= {
    "%": "shares are 0 to 1",
    "x": "a factor is a plain number",
    "times": "a factor is a plain number",
}
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
        name = self._word()
        bare = self._next is not None and self._next["mark"] != "("
        call = self._call(name)
        if self._next is not None:
            rest = self._text[self._next.start() :].strip()
            what = f"the parentheses are missing, as in {shown(f'{name}({rest})')[1:-1]}"
            self._fail(what if bare else "something follows the last parenthesis")
        return call

    def _call(self, name: str, *, within: bool = False) -> Call:
        call = Call(name)
        if not self._take("("):
            return call
        while not self._take(")"):
            self._parameter(call, within)
            if not self._take(",") and (self._next is None or self._next["mark"] != ")"):
                self._fail(self._no_comma())
        return call

    def _no_comma(self) -> str:
        """Why a parameter is followed by neither a comma nor the end."""
        if self._next is None:
            return "the parentheses do not match"
        if self._next["word"] == SHARE:
            return f"a number and '{SHARE}' are written together, as in 0.9{SHARE}"
        unit = (self._next["word"] or self._next["mark"] or "").casefold()
        if unit in _SECONDS or unit in _OTHERS:
            return f"a number has no unit, and {shown(unit)} follows one: {_OTHERS.get(unit, DURATIONS)}"
        return "a comma is missing"

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
            if name in SHAPES and not within:
                self._fail(f"a shape is named, as in shape={name}(...)")
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
            raise ValueError(_no_unit(token["number"], unit))


def _no_unit(number: str, unit: str) -> str:
    """What to write instead of a number with a unit."""
    known = unit.casefold()
    if known in _SECONDS:
        meant, why = f"{float(number) * _SECONDS[known]:g}", DURATIONS
    elif known == "%":
        meant, why = f"{float(number) / 100:g}", _OTHERS[known]
    else:
        meant, why = number, _OTHERS.get(known, f"only '{SHARE}' may follow one")
    return f"a number has no unit: {why}, {meant} and not {shown(number + unit)[1:-1]}"


def shown(text: str) -> str:
    """Cut short and with nothing in it that a terminal would obey."""
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")
