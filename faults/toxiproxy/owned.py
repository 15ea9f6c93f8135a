"""Toxics that belong to somebody: named after their owner, set all at once, and told apart from strangers.

A toxic named `OWNER.SUFFIX` belongs to OWNER when the suffix has no dot. Only the name says so, which makes
it true on any server, for whoever looks.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from faults.toxiproxy.direction import Direction


class ToxicOrder(Protocol):
    """A toxic that is wanted. It may also have a `toxicity` (1 without) and a `name`, the suffix."""

    @property
    def type(self) -> str: ...
    @property
    def direction(self) -> str:
        """to_worker | to_caller"""
        ...

    @property
    def attributes(self) -> Mapping[str, int]:
        """In Toxiproxy's own units."""
        ...


@dataclass(frozen=True, slots=True)
class Changes:
    """What makes the toxics that are there into those that are wanted, by name."""

    remove: tuple[str, ...]
    add: tuple[str, ...]
    update: tuple[str, ...]


def belongs(name: str, owner: str) -> bool:
    """Whether the toxic of that name is `owner`'s."""
    return name.rpartition(".")[0] == owner


def changes(there: Mapping[str, object], wanted: Mapping[str, object], owner: str) -> Changes:
    """`there` and `wanted`: by name, what no update can change. `there` may hold strangers, which stay."""
    own = {name: fixed for name, fixed in there.items() if belongs(name, owner)}
    kept = {name for name, fixed in wanted.items() if own.get(name) == fixed}
    return Changes(
        remove=tuple(name for name in own if name not in kept),
        add=tuple(name for name in wanted if name not in kept),
        update=tuple(name for name in wanted if name in kept),
    )


def orders(owner: str, toxics: Sequence[ToxicOrder]) -> dict[str, dict[str, Any]]:
    """Each toxic as it stands on the wire, by its full name. ValueError for no good suffix or direction.

    A toxic without a suffix of its own is called after its type and direction, then numbered.
    """
    by_name: dict[str, dict[str, Any]] = {}
    for toxic in toxics:
        name = f"{owner}.{_suffix(toxic, by_name, owner)}"
        by_name[name] = {
            "name": name,
            "type": toxic.type,
            "stream": Direction(toxic.direction).stream,
            "attributes": dict(toxic.attributes),
            "toxicity": getattr(toxic, "toxicity", 1.0),
        }
    return by_name


def _suffix(toxic: ToxicOrder, taken: Container[str], owner: str) -> str:
    stem = str(getattr(toxic, "name", "")) or f"{toxic.type}_{toxic.direction}"
    if "." in stem:
        raise ValueError(f"toxic '{stem}' of '{owner}': expected a name without a dot")
    suffix, number = stem, 1
    while f"{owner}.{suffix}" in taken:
        number += 1
        suffix = f"{stem}_{number}"
    return suffix
