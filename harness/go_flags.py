"""Command lines of Go programs, where `-name`, `--name`, `-name=value` and `-switch=false` are all usual."""

from collections.abc import Collection, Sequence

from harness.errors import BadInput

_TRUE = ("1", "t", "T", "true", "TRUE", "True")  # what Go takes, and nothing else
_FALSE = ("0", "f", "F", "false", "FALSE", "False")


def from_go(arguments: Sequence[str], switches: Collection[str]) -> list[str]:
    """The same in our form: two dashes, and a switch is there or not. `switches` need no value.

    BadInput for a switch with a value that is neither true nor false.
    """
    ours: list[str] = []
    is_value = False
    for argument in arguments:
        name, equals, value = argument.lstrip("-").partition("=")
        if is_value or not argument.startswith("-") or not name:
            ours.append(argument)
            is_value = False
        elif name not in switches:
            ours.append(f"--{name}{equals}{value}")
            is_value = not equals
        elif not equals or _truth(name, value):
            ours.append(f"--{name}")
    return ours


def _truth(name: str, value: str) -> bool:
    if value in (*_TRUE, *_FALSE):
        return value in _TRUE
    raise BadInput(f"-{name} must be true or false, got '{value}'")
