"""The worker's process crashes and its supervisor starts it again: a load of the model later it serves."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import ClassVar

from faults.effect import Effect, Fidelity
from faults.fault import Fault
from faults.magnitude import check
from faults.shape import Change
from faults.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted(Fault):
    """Killed, and started again `down_s` later at the same address, with nothing in it.

    Requests are refused meanwhile. In a real run the load of the model comes on top. Under a shape
    the process crashes whenever the level rises.
    """

    kind: ClassVar[str] = "restarted"
    meaning: ClassVar[str] = "the worker's process crashes and is started again `down_s` later"
    fidelity: ClassVar[Fidelity] = Fidelity.PROCESS

    down_s: float = 5.0

    def __post_init__(self) -> None:
        check("restarted: down_s", self.down_s, 0, above=True)

    def effect(self) -> Effect:
        return Effect("down time", self.down_s, "s")

    def changes(self) -> Iterator[Change]:
        """Up until the first rise of the shape, and down for `down_s` after each, or until the next."""
        if next(_rises(self.shape.changes())) > 0:
            yield 0.0, 0.0
        for crashed_s, next_s in pairwise(_rises(self.shape.changes())):
            yield crashed_s, 1.0
            if crashed_s + self.down_s < next_s:
                yield crashed_s + self.down_s, 0.0

    async def put(self, site: Site, level: float, lease_s: float) -> None:
        if self.at(level) is None:
            await site.restart()
        else:
            await site.kill()

    async def lift(self, site: Site) -> None:
        await site.restart()


def _rises(changes: Iterator[Change]) -> Iterator[float]:
    """When a level comes to a half or more from below, and infinity after the last of them."""
    before = 0.0
    for at_s, level in changes:
        if level >= 0.5 > before:
            yield at_s
        before = level
    yield inf
