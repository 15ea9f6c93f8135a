"""Lists of numbers as people write them: `0.3,0.5,0.7`, or a range `0.3:0.9:0.1`. Strict, each value once."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NoReturn

from harness.errors import BadInput

MOST_VALUES = 1_000
_NUMBER = re.compile(r"[+-]?([0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12})")


def numbers(option: str, text: str, example: str) -> tuple[float, ...]:
    """The values ascending. Sums of a range are exact: 0.3:0.9:0.1 ends with 0.9."""
    found = {value for item in text.split(",") for value in _values(option, item.strip(), text, example)}
    if len(found) > MOST_VALUES:
        _too_many(option, len(found))
    return tuple(sorted(map(float, found)))


def whole_numbers(option: str, text: str, example: str) -> tuple[int, ...]:
    """As `numbers`, of which each must be whole."""
    found = numbers(option, text, example)
    broken = next((value for value in found if not value.is_integer()), None)
    if broken is not None:
        raise BadInput(f"{option} takes whole numbers such as {example}, got {broken:g}")
    return tuple(map(int, found))


def listed(values: Iterable[float]) -> str:
    """As `numbers` reads it, to the last digit."""
    return ",".join(f"{Decimal(str(value)).normalize():f}" for value in values)


def _values(option: str, item: str, text: str, example: str) -> Iterator[Decimal]:
    parts = [part.strip() for part in item.split(":")]
    if len(parts) not in (1, 3) or not all(_NUMBER.fullmatch(part) for part in parts):
        raise BadInput(
            f"{option} takes numbers such as {example} or a range from:to:step such as"
            f" {_as_range(example)}, got '{text}'"
        )
    if len(parts) == 1:
        yield Decimal(item)
        return
    start, stop, step = map(Decimal, parts)
    if step <= 0 or stop < start:
        raise BadInput(f"{option}: a range goes up, from:to:step with a step above 0, got '{item}'")
    count = int((stop - start) / step) + 1
    if count > MOST_VALUES:
        _too_many(option, count)
    yield from (start + step * index for index in range(count))


def _as_range(example: str) -> str:
    """`0.3,0.5,0.7` is `0.3:0.7:0.2`."""
    listed = [Decimal(value) for value in example.split(",")]
    return f"{listed[0]}:{listed[-1]}:{listed[1] - listed[0]}"


def _too_many(option: str, count: int) -> NoReturn:
    raise BadInput(f"{option}: {count:,} values asked; at most {MOST_VALUES:,} are accepted: a wider step")
