"""Records grouped by what they are about, in one pass: no judge scans a whole history once a worker."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")
K = TypeVar("K")


class Timed(Protocol):
    """Anything that happened at a time."""

    @property
    def at_s(self) -> float: ...


M = TypeVar("M", bound=Timed)


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Lists of items with the same key, each in order."""
    groups: dict[K, list[T]] = {}
    for item in items:
        kind = key(item)
        group = groups.get(kind)
        if group is None:
            groups[kind] = [item]
        else:
            group.append(item)
    return groups


def between(records: Sequence[M], start_s: float, end_s: float) -> Sequence[M]:
    """Those from `start_s` up to but without `end_s`, of `records` in order of their time."""
    first = bisect_left(records, start_s, key=_at_s)
    return records[first : bisect_left(records, end_s, lo=first, key=_at_s)]


def _at_s(record: Timed) -> float:
    return record.at_s
