"""What stands in the parentheses of a policy: how the values of parameters are read and written."""

import ast
import sys
import warnings
from collections.abc import Sequence
from keyword import iskeyword
from math import inf

HOW = "Write name(parameter=value, ...), and | between policies"
SHOWN = 60  # characters of a text that cannot be read
_WORDS = {"true": True, "false": False, "none": None, "inf": inf}
_CAUSES = {"invalid decimal literal": "a number has no unit, 2 and not 2s"}  # what Python's own words mean


def read_arguments(item: str, text: str) -> tuple[list[object], dict[str, object]]:
    """Those that go by their place and those with a name, of the policy `item`. ValueError in one line."""
    source = f"_({text}\n)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in quotes
            call = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
        cause = wrong.msg.partition(" (")[0] if isinstance(wrong, SyntaxError) else "it cannot be read"
        raise ValueError(f"{shown(item)}: {_CAUSES.get(cause, cause).rstrip('?.')}. {HOW}") from wrong
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(f"{shown(item)}: the parentheses do not match. {HOW}")
    named: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise ValueError(f"{shown(item)}: a parameter is given as name=value")
        if keyword.arg in named:
            raise ValueError(f"{shown(item)}: {keyword.arg} is given twice")
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
    written = shown(ast.get_source_segment(source, node) or "")
    raise ValueError(f"{written} is no number, word, or text in quotes")


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


def shown(text: str) -> str:
    """What the user wrote, cut short and with nothing in it that a terminal would obey."""
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")
