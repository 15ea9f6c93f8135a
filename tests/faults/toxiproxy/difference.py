"""A difference between the two servers as a probe sees it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.faults.toxiproxy.stand import Stand

Probe = Callable[[Stand], Awaitable[Any]]


@dataclass(frozen=True)
class Difference:
    """A probe, and what it sees on either server."""

    probe: Probe
    original: Any
    ours: Any


DIFFERENCES: dict[str, Difference] = {}  # by the name in the list of deviations


def shows(name: str, *, original: Any, ours: Any) -> Callable[[Probe], Probe]:
    """Note a probe for the deviation of that name."""

    def note(probe: Probe) -> Probe:
        DIFFERENCES[name] = Difference(probe, original, ours)
        return probe

    return note
